public import BunnyMedia
import BunnySystem
import Synchronization

/// What a broadcast captures from.
public struct OpenSources: Sendable {
  public let pictures: any PictureSource
  /// nil is silence.
  public let sound: (any SampleSource)?
  /// What a person should know of the choice, in sentences.
  public let notices: [String]

  package init(pictures: any PictureSource, sound: (any SampleSource)?) {
    (self.pictures, self.sound, notices) = (pictures, sound, [])
  }

  /// Opens what `--video` and `--audio` ask for. A camera that is not there is opened later.
  ///
  /// - Parameters:
  ///   - width: pixels of the broadcast, which a test picture is drawn for; height likewise.
  ///   - frameRate: pictures a second.
  ///   - bitrate: bit/s, which a camera is asked for whose own H.264 is passed on.
  ///   - camera: how a camera is to be used, where the picture is one's; of a pipe, what comes.
  ///   - interrupter: makes opening them give up, from any thread; and those that FFmpeg reads, later.
  ///   - decodeError: is called for every packet of a file or device that could not be decoded
  ///     cleanly, by the capture threads.
  ///   - missedFrames: is told how many frames a camera left out, by its capture thread.
  ///   - chosen: is told which device was chosen, how it is used and why, in a sentence.
  ///   - notice: is told later what had to be helped, in a sentence.
  /// - Throws: ``SourceError``; of a camera only what will be so whenever it is opened.
  public init(
    video: VideoInput, audio: AudioInput, width: Int, height: Int, frameRate: Timebase,
    bitrate: Int = 0, camera: CameraSettings = CameraSettings(),
    interrupter: Interrupter = Interrupter(),
    decodeError: @escaping @Sendable () -> Void = {},
    missedFrames: @escaping @Sendable (Int) -> Void = { _ in },
    chosen: @escaping @Sendable (String) -> Void = { _ in },
    notice: @escaping @Sendable (String) -> Void
  ) throws(SourceError) {
    var context = SourceContext()
    context.interrupter = interrupter
    context.decodeError = decodeError
    context.missedFrames = missedFrames
    context.chosen = chosen
    context.notice = notice
    if case .file(let path) = video, audio == .automatic || audio == .file(path) {
      let file = try MediaFile(path, video: true, audio: true, context)
      guard let pictures = file.pictures else { throw .notMedia(path, reason: "it has no picture") }
      self.pictures = pictures
      sound = file.sound
      notices =
        file.sound == nil ? ["\(hidingAddress(path)) has no sound: the broadcast is silent"] : []
      return
    }
    var wanted = WantedPicture(width: width, height: height, framesPerSecond: frameRate.value)
    wanted.bitrate = bitrate
    pictures = try Self.pictures(video, wanted, frameRate: frameRate, camera, context)
    let camera = pictures as? V4L2Camera
    (sound, notices) = try Self.sound(audio, belongingTo: video, camera?.usb, context)
    if let choice = (sound as? ALSAMicrophone)?.choice { chosen(choice) }
  }

  private static func pictures(
    _ input: VideoInput, _ wanted: WantedPicture, frameRate: Timebase,
    _ camera: CameraSettings, _ context: SourceContext
  ) throws(SourceError) -> any PictureSource {
    switch input {
    case .test:
      return TestPicture(
        width: wanted.size.width, height: wanted.size.height, frameRate: frameRate)
    case .file(let path):
      let file = try MediaFile(path, video: true, audio: false, context)
      guard let pictures = file.pictures else { throw .notMedia(path, reason: "it has no picture") }
      return pictures
    case .libavdevice(let format, let device):
      return DevicePictures(
        input: try DeviceInput(
          format, device, .picture, framesPerSecond: frameRate.value, context))
    case .automatic:
      return try Self.camera(V4L2Camera(nil, wanted: wanted, settings: camera, context))
    case .camera(let name):
      return try Self.camera(V4L2Camera(name, wanted: wanted, settings: camera, context))
    case .pipe(let path):
      return try Self.pipe(PipeCamera(path, camera, context))
    }
  }

  /// Opens a pipe. One that cannot be opened yet is handed on as it is.
  private static func pipe(_ pipe: PipeCamera) throws(SourceError) -> any PictureSource {
    do throws(SourceError) { try pipe.open() } catch {
      if case .pipe(_, let problem) = error, problem.isUsage { throw error }
    }
    return pipe
  }

  /// How long the broadcast waits for a camera to be opened before it begins without.
  private static let patience: Int64 = .seconds(2)

  /// Opens a camera. One that cannot be opened yet is handed on as it is; of one that does not answer,
  /// the call that hangs is left to its thread.
  private static func camera(_ camera: V4L2Camera) throws(SourceError) -> any PictureSource {
    let attempt = Attempt(camera)
    startThread("open-camera") { attempt.make() }
    guard let result = attempt.result(until: .now + patience) else {
      return camera.renewed() ?? camera
    }
    if case .failure(.camera(_, let problem)) = result, problem.isUsage { try result.get() }
    return camera
  }

  private static func sound(
    _ input: AudioInput, belongingTo video: VideoInput, _ camera: USBIdentity?,
    _ context: SourceContext
  ) throws(SourceError) -> ((any SampleSource)?, notices: [String]) {
    switch input {
    case .silence:
      return (nil, [])
    case .tone:
      return (Tone(), [])
    case .automatic where video == .test:
      return (Tone(), [])
    case .automatic:
      return automaticSound(camera, context)
    case .file(let path):
      let file = try MediaFile(path, video: false, audio: true, context)
      return (file.sound, [])
    case .libavdevice(let format, let device):
      let input = try DeviceInput(format, device, .sound, framesPerSecond: 25, context)
      return (DeviceSound(input: input), [])
    case .microphone(let name):
      return (ALSAMicrophone(name, notice: context.notice), [])
    }
  }

  /// The microphone of this machine.
  private static func automaticSound(
    _ camera: USBIdentity?, _ context: SourceContext
  ) -> ((any SampleSource)?, notices: [String]) {
    let (microphone, reason) = MicrophoneChoice.automatic(
      among: Microphones.listed(), camera: camera)
    guard let microphone else {
      return (nil, ["The broadcast is silent: \(reason); --audio chooses"])
    }
    return (
      ALSAMicrophone(
        microphone.pcm, choice: "alsa:\(microphone.words): \(reason)", notice: context.notice),
      []
    )
  }
}

/// Opens a camera on another thread than the one that waits for it.
private final class Attempt: Sendable {
  private let camera: V4L2Camera
  private let outcome = Mutex<Result<Void, SourceError>?>(nil)
  private let wake = WakeEvent()

  init(_ camera: V4L2Camera) { self.camera = camera }

  func make() {
    let result = Result { () throws(SourceError) in try camera.open() }
    outcome.withLock { $0 = result }
    wake.signal()
  }

  /// - Returns: nil when it takes longer.
  func result(until deadline: MonotonicTime) -> Result<Void, SourceError>? {
    wake.wait(until: deadline)
    return outcome.withLock { $0 }
  }
}
