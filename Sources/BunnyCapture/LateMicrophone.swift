import BunnyMedia
import BunnySystem
import Synchronization

/// The microphone of a machine that has none yet: the first one that is plugged in. Until then it is silent,
/// and nothing is lost.
final class LateMicrophone: SampleSource {
  private let camera: @Sendable () -> USBIdentity?
  private let context: SourceContext
  private let found = Mutex<ALSAMicrophone?>(nil)
  private let wake = WakeEvent()
  private let isCancelled = Flag()

  let timeTolerance = Int64.milliseconds(1)
  let isWatched = true

  /// Some cards appear without a sign.
  private static let pause: Int64 = .seconds(5)

  /// - Parameter camera: the USB device whose picture is broadcast, once that is known.
  init(camera: @escaping @Sendable () -> USBIdentity?, _ context: SourceContext) {
    (self.camera, self.context) = (camera, context)
  }

  func next() throws -> Samples? {
    while !isCancelled.isSet {
      if let microphone = found.withLock({ $0 }) { return try microphone.next() }
      look()
    }
    return nil
  }

  func cancel() {
    isCancelled.isSet = true
    wake.signal()
    found.withLock { $0 }?.cancel()
  }

  /// Until there is one, nothing is late; then it may hang like any other.
  func renewed() -> (any SampleSource)? { found.withLock { $0 }?.renewed() }

  var usbDevice: USBIdentity? { found.withLock { $0 }?.usbDevice }

  func explainSilence(_ tell: @escaping @Sendable (String) -> Void) {
    found.withLock { $0 }?.explainSilence(tell)
  }

  private func look() {
    let devices = DeviceFolder()
    devices.begin()
    if let microphone = ALSAMicrophone.automatic(for: camera(), context).microphone {
      found.withLock { $0 = microphone }
      if let choice = microphone.choice { context.chosenSound(choice) }
      if isCancelled.isSet { microphone.cancel() }
    } else {
      _ = devices.wait(for: wake, until: .now + Self.pause)
    }
  }
}

extension ALSAMicrophone {
  /// The microphone that `auto` takes.
  ///
  /// - Parameter camera: the USB device whose picture is broadcast.
  /// - Returns: nil where there is none, and why, or why that one.
  static func automatic(
    for camera: USBIdentity?, _ context: SourceContext
  ) -> (microphone: ALSAMicrophone?, reason: String) {
    let (microphone, reason) = MicrophoneChoice.automatic(
      among: Microphones.listed(), camera: camera)
    let source = microphone.map {
      ALSAMicrophone(
        $0.pcm, choice: "alsa:\($0.words): \(reason)", notice: context.notice)
    }
    return (source, reason)
  }
}
