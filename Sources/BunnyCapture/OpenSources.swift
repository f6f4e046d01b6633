public import BunnyMedia
import BunnySystem

/// What a broadcast captures from.
public struct OpenSources: Sendable {
  public let pictures: any PictureSource
  /// nil is silence.
  public let sound: (any SampleSource)?
  /// What a person should know of the choice, in sentences.
  public let notices: [String]

  /// Opens what `--video` and `--audio` ask for.
  ///
  /// - Parameters:
  ///   - width: pixels of the broadcast, which a test picture is drawn for; height likewise.
  ///   - frameRate: pictures a second.
  ///   - interrupter: makes opening them give up, from any thread; and those that FFmpeg reads, later.
  ///   - decodeError: is called for every packet of a file or device that could not be decoded
  ///     cleanly, by the capture threads.
  ///   - notice: is told later what had to be helped, in a sentence.
  /// - Throws: ``SourceError``.
  public init(
    video: VideoInput, audio: AudioInput, width: Int, height: Int, frameRate: Timebase,
    interrupter: Interrupter = Interrupter(), decodeError: @escaping @Sendable () -> Void = {},
    notice: @escaping @Sendable (String) -> Void
  ) throws(SourceError) {
    var context = SourceContext()
    context.interrupter = interrupter
    context.decodeError = decodeError
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
    pictures = try Self.pictures(
      video, width: width, height: height, frameRate: frameRate, context)
    (sound, notices) = try Self.sound(audio, belongingTo: video, context)
  }

  private static func pictures(
    _ input: VideoInput, width: Int, height: Int, frameRate: Timebase,
    _ context: SourceContext
  ) throws(SourceError) -> any PictureSource {
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
      throw .notBuilt(
        "The camera of this machine",
        instead: "give --video av:v4l2:/dev/video0, file:PATH or test")
    case .camera(let name):
      throw .notBuilt(
        "Camera \(name)",
        instead: "give --video av:v4l2:\(name.hasPrefix("/") ? name : "/dev/video0"), "
          + "file:PATH or test")
    }
  }

  private static func sound(
    _ input: AudioInput, belongingTo video: VideoInput, _ context: SourceContext
  ) throws(SourceError) -> ((any SampleSource)?, notices: [String]) {
    switch input {
    case .silence:
      return (nil, [])
    case .tone:
      return (Tone(), [])
    case .automatic where video == .test:
      return (Tone(), [])
    case .automatic:
      return automaticSound(belongingTo: video, context)
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
    belongingTo video: VideoInput, _ context: SourceContext
  ) -> ((any SampleSource)?, notices: [String]) {
    let (microphone, reason) = MicrophoneChoice.automatic(
      among: Microphones.listed(), camera: video.usb)
    guard let microphone else {
      return (nil, ["The broadcast is silent: \(reason); --audio chooses"])
    }
    return (
      ALSAMicrophone(microphone.pcm, notice: context.notice),
      ["Sound comes from alsa:\(microphone.words): \(reason); --audio chooses another"]
    )
  }
}

extension VideoInput {
  /// The USB device that the picture comes from, if it is a camera given by its node.
  fileprivate var usb: USBIdentity? {
    let path: String? =
      switch self {
      case .camera(let name): name
      case .libavdevice(format: "v4l2", let device): device
      default: nil
      }
    guard let node = path.flatMap(DeviceFiles.resolved)?.split(separator: "/").last else {
      return nil
    }
    return USBIdentity(sysfs: "/sys/class/video4linux/\(node)/device")
  }
}
