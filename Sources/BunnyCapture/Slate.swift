package import BunnyMedia
package import BunnySystem
import Glibc

/// What is shown in place of a picture that does not come.
public struct Slate: Sendable {
  /// What `--slate` says.
  public enum Choice: Equatable, Sendable {
    /// Plain: that there is no picture, why, and since when.
    case standard
    /// The last good picture; ``standard`` before the first one.
    case freeze
    /// A picture that FFmpeg reads, a PNG above all.
    case file(String)
  }

  private let choice: Choice
  private let width: Int
  private let height: Int
  /// A file's.
  private let own: Picture?

  /// - Parameters:
  ///   - width: pixels of the broadcast, even; height likewise.
  /// - Throws: ``SourceError`` for a file that is no picture.
  package init(_ choice: Choice, width: Int, height: Int) throws(SourceError) {
    (self.choice, self.width, self.height) = (choice, width, height)
    own = if case .file(let path) = choice { try Self.read(path) } else { nil }
  }

  private static func read(_ path: String) throws(SourceError) -> Picture {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw .notMedia(path, reason: "it is no file")
    }
    var context = SourceContext()
    // A file that is played skips what is broken, and begins anew.
    context.decodeError = { [interrupter = context.interrupter] in interrupter.interrupt() }
    let file = try MediaFile(path, video: true, audio: false, context)
    let picture: Picture?
    do {
      picture = try file.pictures?.next()
    } catch SourceError.lost(_, let reason) {
      throw .notMedia(path, reason: reason)
    } catch {
      throw .notMedia(path, reason: "\(error)")
    }
    file.pictures?.cancel()
    guard let picture else { throw .notMedia(path, reason: "its picture is broken") }
    return picture
  }

  /// What goes on air now.
  ///
  /// - Parameters:
  ///   - reason: why, in words.
  ///   - hasPicture: whether there ever was a good picture.
  ///   - since: when it was lost; nil: now.
  /// - Returns: nil: the last good picture stays.
  package func picture(
    _ reason: String, hasPicture: Bool, since: MonotonicTime? = nil, at now: MonotonicTime = .now
  ) -> Picture? {
    if let own { return own.stamped(now) }
    if choice == .freeze && hasPicture { return nil }
    return plain(reason, since: since ?? now, at: now)
  }

  // MARK: Ours

  private static let paper: UInt8 = 40
  private static let characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;-/+()_"

  private func plain(_ reason: String, since: MonotonicTime, at now: MonotonicTime) -> Picture {
    let clock = CalendarTime(unixMilliseconds: UnixTime.milliseconds(at: since))
    let room = width * 9 / 10
    // What follows a semicolon is advice, which is of no use to viewers.
    let small = font(ink: 170, pitch: Double(min(width, height)) / 160)
    let lines =
      Self.wrapped(reason.prefix { $0 != ";" }.uppercased(), to: max(1, room / small.cellWidth))
      + ["SINCE \(clock.date) \(clock.clock.prefix(8)) UTC"]
    let title = "NO PICTURE"
    let large = font(
      ink: 220,
      pitch: min(Double(min(width, height)) / 60, Double(room) / Double(6 * title.utf8.count)))
    let pool = PicturePool(width: width, height: height)
    return pool.picture(time: now) { y, u, v in
      for (plane, level) in [(y, Self.paper), (u, 128), (v, 128)] {
        plane.fill(Area(x: 0, y: 0, width: plane.width, height: plane.height), level)
      }
      var row = (height - large.cellHeight * 2 - small.cellHeight * lines.count * 3 / 2) / 2
      large.write(title, x: (width - title.count * large.cellWidth) / 2, y: row, into: y)
      row += large.cellHeight * 2
      for line in lines {
        small.write(line, x: (width - line.count * small.cellWidth) / 2, y: row, into: y)
        row += small.cellHeight * 3 / 2
      }
    }
  }

  private func font(ink: UInt8, pitch: Double) -> TestFont {
    TestFont(pitch: max(1, pitch), ink: ink, paper: Self.paper, characters: Self.characters)
  }

  /// At most four lines of whole words; a word that is longer than a line loses its end.
  private static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word.prefix(width)))
      }
    }
    return Array(lines.prefix(4))
  }
}
