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
  /// All that the picture may come from, in order; ``pictures`` is of the first.
  package let supplies: [PictureSupply]

  /// - Parameter others: that the picture may come from later.
  package init(
    pictures: any PictureSource, sound: (any SampleSource)?, others: [PictureSupply] = []
  ) {
    (self.pictures, self.sound, notices) = (pictures, sound, [])
    supplies = [PictureSupply("the first") { _ in pictures.renewed() ?? pictures }] + others
  }

  /// Opens what `--video` and `--audio` ask for. A device that is not there is opened later.
  ///
  /// - Parameters:
  ///   - others: what the picture may come from later: not opened yet, a file only looked at.
  ///   - ownPictures: makes what is taken in place of `video`; ownSound likewise, of `audio`.
  ///   - width: pixels of the broadcast, which a test picture is drawn for; height likewise.
  ///   - frameRate: pictures a second.
  ///   - turn: how the picture is going to be turned; ``fill`` likewise: how it fills the broadcast's.
  ///   - bitrate: bit/s, which a camera is asked for whose own H.264 is passed on.
  ///   - camera: how a camera is to be used, where the picture is one's; of a pipe, what comes.
  ///   - interrupter: makes opening them give up, from any thread; and those that FFmpeg reads, later.
  ///   - decodeError: is called for every packet of a file or device that could not be decoded
  ///     cleanly, by the capture threads.
  ///   - missedFrames: is told how many frames a camera left out, by its capture thread.
  ///   - chosen: is told which camera was chosen, how it is used and why, in a sentence; chosenSound likewise,
  ///     of a microphone.
  ///   - notice: is told later what had to be helped, in a sentence.
  /// - Throws: ``SourceError``; of a device only what will be so whenever it is opened.
  public init(
    video: VideoInput, others: [VideoInput] = [], audio: AudioInput,
    ownPictures: (@Sendable () -> any PictureSource)? = nil,
    ownSound: (@Sendable () -> any SampleSource)? = nil, width: Int, height: Int,
    frameRate: Timebase, bitrate: Int = 0, turn: PictureTurn = .none,
    fill: PictureFit.Fill = .letterbox, camera: CameraSettings = CameraSettings(),
    interrupter: Interrupter = Interrupter(),
    decodeError: @escaping @Sendable () -> Void = {},
    missedFrames: @escaping @Sendable (Int) -> Void = { _ in },
    chosen: @escaping @Sendable (String) -> Void = { _ in },
    chosenSound: @escaping @Sendable (String) -> Void = { _ in },
    notice: @escaping @Sendable (String) -> Void
  ) throws(SourceError) {
    var context = SourceContext()
    context.interrupter = interrupter
    context.decodeError = decodeError
    context.missedFrames = missedFrames
    context.chosen = chosen
    context.chosenSound = chosenSound
    context.notice = notice
    let maker = PictureMaker(
      wanted: WantedPicture(
        width: width, height: height, framesPerSecond: frameRate.value, bitrate: bitrate,
        turn: turn, fill: fill),
      frame: turn.turnedBack(width: width, height: height), frameRate: frameRate, settings: camera,
      context: context)
    for case .file(let path) in others { try MediaFile.look(at: path, context) }
    var later: [PictureSupply] = []
    for input in others { later.append(try maker.supply(input)) }
    if case .file(let path) = video, audio == .automatic || audio == .file(path),
      ownPictures == nil, ownSound == nil
    {
      let file = try MediaFile(path, video: true, audio: true, context)
      guard let pictures = file.pictures else { throw .notMedia(path, reason: "it has no picture") }
      self.pictures = pictures
      sound = file.sound
      notices =
        file.sound == nil ? ["\(hidingAddress(path)) has no sound: the broadcast is silent"] : []
      // Picture and sound are read together, and stay in step so.
      supplies = [try maker.supply(video, staysOpen: file.sound != nil)] + later
      return
    }
    if let ownPictures {
      pictures = ownPictures()
      supplies = [PictureSupply(ownPicturesName) { _ in ownPictures() }] + later
    } else {
      let memory = CameraMemory()
      pictures = try maker.opened(video, memory)
      supplies = [try maker.supply(video, memory: memory)] + later
    }
    if let ownSound {
      (sound, notices) = (ownSound(), [])
      return
    }
    (sound, notices) = try Self.sound(
      audio, belongingTo: video, { [pictures] in pictures.usbDevice }, context)
    if let choice = (sound as? ALSAMicrophone)?.choice { chosenSound(choice) }
  }

  private static func sound(
    _ input: AudioInput, belongingTo video: VideoInput,
    _ camera: @escaping @Sendable () -> USBIdentity?,
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
      return (DeviceSound(input: try Attempt.answers(input.prepare) ? input : input.renewed()), [])
    case .microphone(let name):
      return (ALSAMicrophone(name, notice: context.notice), [])
    }
  }

  /// The microphone of this machine.
  private static func automaticSound(
    _ camera: @escaping @Sendable () -> USBIdentity?, _ context: SourceContext
  ) -> ((any SampleSource)?, notices: [String]) {
    let (microphone, reason) = ALSAMicrophone.automatic(for: camera(), context)
    if let microphone { return (microphone, []) }
    return (
      LateMicrophone(camera: camera, context),
      ["The broadcast is silent: \(reason); one that is plugged in is taken; --audio chooses"]
    )
  }
}

/// What stands for pictures that a program makes itself.
package let ownPicturesName = "the program's own pictures"

/// Makes what `--video` asks for.
private struct PictureMaker: Sendable {
  let wanted: WantedPicture
  let frame: (width: Int, height: Int)
  let frameRate: Timebase
  let settings: CameraSettings
  let context: SourceContext

  /// One that is open; a device that cannot be opened yet is handed on as it is.
  func opened(
    _ input: VideoInput, _ memory: CameraMemory
  ) throws(SourceError) -> any PictureSource {
    let source = try make(input, memory, context)
    switch source {
    case let pipe as PipeCamera:
      do throws(SourceError) { try pipe.open() } catch {
        if case .pipe(_, let problem) = error, problem.isUsage { throw error }
      }
      return pipe
    case let camera as V4L2Camera:
      return try Attempt.answers(camera.open) ? camera : camera.renewed() ?? camera
    case let device as DevicePictures:
      return try Attempt.answers(device.input.prepare) ? device : device.renewed() ?? device
    default:
      return source
    }
  }

  /// - Parameter memory: of it as a camera.
  func supply(
    _ input: VideoInput, staysOpen: Bool = false, memory: CameraMemory = CameraMemory()
  ) throws(SourceError) -> PictureSupply {
    let name = "\(input)"
    switch input {
    case .automatic:
      return PictureSupply(name) { camera(nil, memory, besideAnother: $0) }
    case .camera(let path):
      return PictureSupply(name) { camera(path, memory, besideAnother: $0) }
    case .libavdevice:
      let device = try make(input, memory, context)
      return PictureSupply(name) { _ in device.renewed() ?? device }
    case .test, .file, .pipe:
      // A program that writes is ended by a pipe that nobody reads.
      let isPipe = if case .pipe = input { true } else { false }
      return PictureSupply(name, staysOpen: staysOpen || isPipe) { _ in
        LatePictures(within: context.interrupter) { interrupter in
          var context = context
          context.interrupter = interrupter
          return try make(input, memory, context)
        }
      }
    }
  }

  private func make(
    _ input: VideoInput, _ memory: CameraMemory, _ context: SourceContext
  ) throws(SourceError) -> any PictureSource {
    switch input {
    case .test:
      return TestPicture(width: frame.width, height: frame.height, frameRate: frameRate)
    case .file(let path):
      let file = try MediaFile(path, video: true, audio: false, context)
      guard let pictures = file.pictures else { throw .notMedia(path, reason: "it has no picture") }
      return pictures
    case .libavdevice(let format, let device):
      return DevicePictures(
        input: try DeviceInput(
          format, device, .picture, framesPerSecond: frameRate.value, context))
    case .automatic: return camera(nil, memory)
    case .camera(let name): return camera(name, memory)
    case .pipe(let path): return try PipeCamera(path, settings, context)
    }
  }

  private func camera(
    _ name: String?, _ memory: CameraMemory, besideAnother: Bool = false
  ) -> V4L2Camera {
    V4L2Camera(
      name, wanted: wanted, settings: settings, besideAnother: besideAnother, memory: memory,
      context)
  }
}

/// Opens a device on another thread than the one that waits for it.
private final class Attempt: Sendable {
  private let open: @Sendable () throws(SourceError) -> Void
  private let outcome = Mutex<Result<Void, SourceError>?>(nil)
  private let wake = WakeEvent()

  /// How long the broadcast waits for a device to be opened before it begins without.
  private static let patience: Int64 = .seconds(2)

  /// Tries to open a device. That it cannot be opened yet is no error.
  ///
  /// - Returns: false where it does not answer: the call that hangs, and what it is about, are left to
  ///   its thread.
  static func answers(
    _ open: @escaping @Sendable () throws(SourceError) -> Void
  ) throws(SourceError) -> Bool {
    let attempt = Attempt(open)
    startThread("open-device") { attempt.make() }
    guard let result = attempt.result(until: .now + patience) else { return false }
    if case .failure(.camera(_, let problem)) = result, problem.isUsage { try result.get() }
    return true
  }

  init(_ open: @escaping @Sendable () throws(SourceError) -> Void) { self.open = open }

  func make() {
    let result = Result { () throws(SourceError) in try open() }
    outcome.withLock { $0 = result }
    wake.signal()
  }

  /// - Returns: nil when it takes longer.
  func result(until deadline: MonotonicTime) -> Result<Void, SourceError>? {
    wake.wait(until: deadline)
    return outcome.withLock { $0 }
  }
}
