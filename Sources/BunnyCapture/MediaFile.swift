public import BunnyMedia
import BunnySystem
import Glibc

/// A file that FFmpeg reads, played in real time and looped without a hitch.
///
/// A pass lasts as long as its longer track: the shorter one is held or silent.
public struct MediaFile: Sendable {
  /// nil when the picture was not asked for.
  public let pictures: (any PictureSource)?
  /// nil when the sound was not asked for, or the file has none.
  public let sound: (any SampleSource)?

  /// - Parameters:
  ///   - path: a file here, or an address that libavformat opens.
  ///   - interrupter: makes opening it give up, from any thread; and reading it, later.
  ///   - notice: is told what had to be helped, in a sentence.
  /// - Throws: ``SourceError``; also when the picture is asked for and there is none.
  public init(
    _ path: String, video: Bool, audio: Bool, interrupter: Interrupter = Interrupter(),
    notice: @escaping @Sendable (String) -> Void
  ) throws(SourceError) {
    var context = SourceContext()
    context.interrupter = interrupter
    context.notice = notice
    try self.init(path, video: video, audio: audio, context)
  }

  package init(
    _ path: String, video: Bool, audio: Bool, _ context: SourceContext
  ) throws(SourceError) {
    let (location, isAddress) = try Self.location(path)
    let tracks = Set<LoopingReader.Track>((video ? [.video] : []) + (audio ? [.audio] : []))
    let name = hidingAddress(path)
    let reader = try LoopingReader(
      location, name: name, wanting: tracks, stallLimit: isAddress ? context.stallLimit : nil,
      interrupter: context.interrupter)
    if video && reader.video == nil { throw .notMedia(path, reason: "it has no picture") }
    if !video && reader.audio == nil { throw .notMedia(path, reason: "it has no sound") }
    do {
      pictures = try reader.video.map { track throws(AVFailure) in
        FilePictures(
          reader, track, try Decoder(track, onError: context.decodeError), name: name,
          notice: context.notice)
      }
      sound = try reader.audio.map { track throws(AVFailure) in
        FileSound(reader, try Decoder(track, onError: context.decodeError))
      }
    } catch {
      throw .notMedia(path, reason: "FFmpeg cannot decode it, \(error.reason)")
    }
  }

  /// Looks whether a file of this machine holds a picture; it is opened for as long as that takes.
  /// Addresses are not asked.
  static func look(at path: String, _ context: SourceContext) throws(SourceError) {
    guard try !location(path).isAddress else { return }
    _ = try MediaFile(path, video: true, audio: false, context)
  }

  /// A name that exists here is a file, whatever it looks like; others may be addresses.
  private static func location(
    _ path: String
  ) throws(SourceError) -> (String, isAddress: Bool) {
    if access(path, F_OK) == 0 { return ("file:\(path)", false) }
    let code = errno
    if path.contains("://") { return (path, true) }
    guard code == ENOENT || code == ENOTDIR else {
      throw .unreadable(path, reason: systemWords(code))
    }
    throw .missing(path)
  }
}

extension SourceError {
  /// What a failure to open `name` means.
  package init(_ failure: AVFailure, opening name: String) {
    if failure.code == -ENOENT {
      self = .missing(name)
    } else if failure.isInvalidData {
      self = .notMedia(name, reason: failure.reason)
    } else {
      self = .unreadable(name, reason: failure.reason)
    }
  }
}
