public import BunnyMedia
import BunnySystem
import Glibc
import Synchronization

/// A microphone, captured by ALSA.
///
/// It is opened by the first ``next()``, and again by the next one after it was lost: then it is known
/// by what it is, whatever number it has by now. `next()` belongs to one thread, and waits for as long as
/// a call of the driver's takes.
public final class ALSAMicrophone: SampleSource, @unchecked Sendable {  // see ``capturing``
  /// Its times are counted; only holes are gaps.
  public let timeTolerance = Int64.milliseconds(1)

  /// With `alsa:` before it.
  private let name: String
  private let notice: @Sendable (String) -> Void
  /// The thread that captures now; any thread may end it.
  private let capturing = Mutex<MicrophoneThread?>(nil)
  private let isCancelled = Flag()
  /// The device that was taken last.
  private let known: Mutex<KnownDevice<Microphone>?>
  private let mixer = MicrophoneMixer()
  public let isWatched = true

  // The capture thread's own.
  private var sound: MicrophoneSound?
  private var beginnings = 0
  private var ready: [Samples] = []
  private var hasAskedMixer = false

  /// Which was chosen, and why, where no name was given.
  package let choice: String?

  /// - Parameters:
  ///   - name: what ``MicrophoneChoice`` knows, with or without `alsa:` before it.
  ///   - known: the device that it was before.
  package init(
    _ name: String, choice: String? = nil, known: KnownDevice<Microphone>? = nil,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.choice = choice
    self.name = name.hasPrefix("alsa:") ? name : "alsa:\(name)"
    self.notice = notice
    self.known = Mutex(known)
  }

  public var usbDevice: USBIdentity? { known.withLock { $0?.device.usb } }

  deinit { capturing.withLock { $0 }?.end() }

  public func cancel() {
    isCancelled.isSet = true
    capturing.withLock { $0 }?.end()
  }

  public func renewed() -> (any SampleSource)? {
    ALSAMicrophone(name, choice: choice, known: known.withLock { $0 }, notice: notice)
  }

  public func explainSilence(_ tell: @escaping @Sendable (String) -> Void) {
    if let microphone = known.withLock({ $0 }) { mixer.ask(microphone.device, tell) }
  }

  public func next() throws -> Samples? {
    while !isCancelled.isSet {
      if !ready.isEmpty { return ready.removeFirst() }
      do { try take(from: try capturingThread()) } catch {
        letGo()
        throw error
      }
    }
    letGo()
    return nil
  }

  /// The one that captures, or a new one.
  private func capturingThread() throws(SourceError) -> MicrophoneThread {
    if let thread = capturing.withLock({ $0 }) { return thread }
    let microphones = Microphones.listed()
    let choice: MicrophoneChoice
    do throws(MicrophoneProblem) {
      choice = try MicrophoneChoice(
        String(name.dropFirst(5)), among: microphones, known: known.withLock { $0 })
    } catch {
      throw .microphone(name, error)
    }
    if case .device(let microphone, _) = choice {
      let device = KnownDevice(microphone, beside: microphones.compactMap(\.usb))
      known.withLock { $0 = device }
    }
    let thread = MicrophoneThread(choice.pcm)
    capturing.withLock { $0 = thread }
    if isCancelled.isSet { thread.end() }
    return thread
  }

  private func letGo() {
    capturing.withLock { thread in
      thread?.end()
      thread = nil
    }
    sound = nil
    beginnings = 0
    ready = []
  }

  /// Takes what comes next from the capturing thread.
  private func take(from thread: MicrophoneThread) throws {
    // It is closed only once this was cancelled, or its last event has been taken.
    guard case .element(let event) = thread.events.take(until: .distantFuture) else { return }
    switch event {
    case .captured(let captured): try convert(captured)
    case .falseStamps:
      notice("\(name) does not tell when it captured what: sound may be late by some milliseconds")
    case .failed(let failure): throw error(failure)
    case .silent(let nanoseconds):
      throw SourceError.lost(
        name, reason: "nothing came for \(nanoseconds / .milliseconds(1)) ms")
    }
  }

  private func convert(_ captured: MicrophoneThread.Captured) throws(AVFailure) {
    let reading = captured.reading
    if !hasAskedMixer { explainSilence { [name, notice] in notice("\(name): \($0)") } }
    hasAskedMixer = true
    if sound == nil { sound = MicrophoneSound(sampleRate: reading.samples.sampleRate) }
    if captured.beginnings != beginnings { try sound?.beginAnew { ready.append($0) } }
    beginnings = captured.beginnings
    try sound?.take(reading.samples, countedFrom: reading.origin, stamp: reading.stamp) {
      ready.append($0)
    }
  }

  /// One place turns ALSA's codes into sentences.
  private func error(_ failure: MicrophonePCM.Failure) -> SourceError {
    switch -failure.code {
    case ENODEV where sound != nil: .lost(name, reason: "it was unplugged")
    case EBUSY:
      .microphone(
        name, .busy(holder: known.withLock { $0 }.flatMap { Microphones.holder(of: $0.device) }))
    case EACCES, EPERM: .microphone(name, .forbidden)
    case ENOENT, ENODEV, ENXIO:
      .microphone(name, .missing(offered: Microphones.listed().map(\.words)))
    case _ where sound != nil: .lost(name, reason: "\(failure.call): \(failure.reason)")
    case EINVAL where "\(failure.call)".hasPrefix("snd_pcm_hw_params"):
      .microphone(name, .strangeForm(reason: "\(failure.call)"))
    default: .microphone(name, .failed(call: "\(failure.call)", reason: failure.reason))
    }
  }
}
