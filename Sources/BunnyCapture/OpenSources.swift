public import BunnyMedia
import BunnySystem

/// What a broadcast captures from.
public struct OpenSources: Sendable {
  public let pictures: any PictureSource
  /// nil is silence.
  public let sound: (any SampleSource)?
  /// Which devices were chosen, how they are used and why, in sentences.
  public let choices: [String]
  /// What a person should know of the choice, in sentences.
  public let notices: [String]

  /// Opens what `--video` and `--audio` ask for.
  ///
  /// - Parameters:
  ///   - width: pixels of the broadcast, which a test picture is drawn for; height likewise.
  ///   - frameRate: pictures a second.
  ///   - camera: how a camera is to be used, where the picture is one's.
  ///   - interrupter: makes opening them give up, from any thread; and those that FFmpeg reads, later.
  ///   - decodeError: is called for every packet of a file or device that could not be decoded
  ///     cleanly, by the capture threads.
  ///   - missedFrames: is told how many frames a camera left out, by its capture thread.
  ///   - notice: is told later what had to be helped, in a sentence.
  /// - Throws: ``SourceError``.
  public init(
    video: VideoInput, audio: AudioInput, width: Int, height: Int, frameRate: Timebase,
    camera: CameraSettings = CameraSettings(), interrupter: Interrupter = Interrupter(),
    decodeError: @escaping @Sendable () -> Void = {},
    missedFrames: @escaping @Sendable (Int) -> Void = { _ in },
    notice: @escaping @Sendable (String) -> Void
  ) throws(SourceError) {
    var context = SourceContext()
    context.interrupter = interrupter
    context.decodeError = decodeError
    context.missedFrames = missedFrames
    context.notice = notice
    if case .file(let path) = video, audio == .automatic || audio == .file(path) {
      let file = try MediaFile(path, video: true, audio: true, context)
      guard let pictures = file.pictures else { throw .notMedia(path, reason: "it has no picture") }
      self.pictures = pictures
      sound = file.sound
      choices = []
      notices =
        file.sound == nil ? ["\(hidingAddress(path)) has no sound: the broadcast is silent"] : []
      return
    }
    pictures = try Self.pictures(
      video, width: width, height: height, frameRate: frameRate, camera, context)
    let camera = pictures as? V4L2Camera
    (sound, notices) = try Self.sound(audio, belongingTo: video, camera?.usb, context)
    choices = [camera?.choice, (sound as? ALSAMicrophone)?.choice].compactMap { $0 }
  }

  private static func pictures(
    _ input: VideoInput, width: Int, height: Int, frameRate: Timebase,
    _ camera: CameraSettings, _ context: SourceContext
  ) throws(SourceError) -> any PictureSource {
    let wanted = WantedPicture(width: width, height: height, framesPerSecond: frameRate.value)
    switch input {
    case .test:
      return TestPicture(width: width, height: height, frameRate: frameRate)
    case .file(let path):
      let file = try MediaFile(path, video: true, audio: false, context)
      guard let pictures = file.pictures else { throw .notMedia(path, reason: "it has no picture") }
      return pictures
    case .libavdevice(let format, let device):
      return DevicePictures(
        input: try DeviceInput(
          format, device, .picture, framesPerSecond: frameRate.value, context))
    case .automatic:
      return try V4L2Camera(nil, wanted: wanted, settings: camera, context)
    case .camera(let name):
      return try V4L2Camera(name, wanted: wanted, settings: camera, context)
    }
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
