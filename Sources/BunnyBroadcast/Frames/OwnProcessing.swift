import BunnyMedia
import BunnySystem

/// What a program may change between capture and encoder.
protocol Processable {
  /// In an error's words.
  static var name: String { get }
  /// What must stay as it is, in words.
  var form: String { get }
  /// Whether it can be encoded in that one's place.
  func fits(_ other: Self) -> Bool
}

extension Picture: Processable {
  static var name: String { "a picture" }
  var form: String { "\(format) \(width)x\(height)" }

  func fits(_ other: Picture) -> Bool {
    width == other.width && height == other.height && format == other.format
  }
}

extension Samples: Processable {
  static var name: String { "sound" }
  var form: String {
    "\(count) samples of \(channels) channels at \(sampleRate) Hz (\(format)) from "
      + "\(time.nanoseconds / 1_000_000) ms on"
  }

  func fits(_ other: Samples) -> Bool {
    count == other.count && time == other.time && hasBroadcastForm
  }
}

/// A program's own step between capture and encoder. Belongs to the thread that encodes.
struct OwnProcessing<Media: Processable> {
  private let process: (Media) -> Media
  private let notice: @Sendable (String) -> Void
  private var saidWhyNot = false

  init(_ process: @escaping (Media) -> Media, notice: @escaping @Sendable (String) -> Void) {
    (self.process, self.notice) = (process, notice)
  }

  /// - Returns: `given` itself where what came of it cannot be encoded in its place.
  mutating func take(_ given: Media) -> Media {
    let made = process(given)
    if made.fits(given) { return made }
    if !saidWhyNot {
      notice(
        "what the program makes of \(Media.name) is left out: it is \(made.form), and has to be "
          + given.form)
    }
    saidWhyNot = true
    return given
  }
}
