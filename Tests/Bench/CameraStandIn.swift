import BunnySystem
import Foundation
import Support

/// A camera for programs that read a FIFO: recorded frames, again and again, each at its moment.
///
/// One that is not fetched in time holds up those after it, as in a camera with one buffer. Ends with this
/// object.
final class CameraStandIn: Sendable {
  /// Of the FIFO.
  let path: String
  private let folder: TemporaryDirectory
  private let isOver = Flag()

  /// - Parameters:
  ///   - frames: a file each.
  ///   - limit: after so many of them it hangs up; nil: never.
  init(_ frames: [String], framesPerSecond: Int, limit: Int?) throws {
    folder = try TemporaryDirectory()
    path = folder.file("camera")
    guard mkfifo(path, 0o600) == 0 else {
      throw BenchFailure(69, "there can be no FIFO at \(path)")
    }
    // For reading too: then a reader may open it twice, as GStreamer does, and ours need not be there yet.
    let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw BenchFailure(69, "\(path) cannot be opened") }
    let (isOver, period) = (isOver, Int64(1_000_000_000 / framesPerSecond))
    startThread("camera") {
      defer { close(file) }
      var due = MonotonicTime.now
      for index in 0..<(limit ?? .max) {
        guard Self.write(frames[index % frames.count], to: file, until: isOver) else { return }
        due = max(due + period, .now)
        Self.wait(until: due)
      }
    }
  }

  deinit { isOver.isSet = true }

  /// - Returns: false when it is over.
  private static func write(_ frame: String, to file: Int32, until isOver: Flag) -> Bool {
    guard let bytes = FileManager.default.contents(atPath: frame) else { return false }
    return bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        if isOver.isSet { return false }
        let count = Glibc.write(
          file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else {
          var room = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
          _ = poll(&room, 1, 20)
        }
      }
      return true
    }
  }

  private static func wait(until moment: MonotonicTime) {
    let seconds = Double(moment - .now) / 1e9
    if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
  }
}
