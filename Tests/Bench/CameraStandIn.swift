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
  private let end = WakeEvent()

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
    let (end, period) = (end, Int64(1_000_000_000 / framesPerSecond))
    startThread("camera") {
      defer { close(file) }
      var due = MonotonicTime.now
      for index in 0..<(limit ?? .max) {
        guard Self.write(frames[index % frames.count], to: file, until: end) else { return }
        due = max(due + period, .now)
        if end.wait(until: due) { return }
      }
    }
  }

  deinit { end.signal() }

  /// - Returns: false when it is over.
  private static func write(_ frame: String, to file: Int32, until end: WakeEvent) -> Bool {
    guard let bytes = FileManager.default.contents(atPath: frame) else { return false }
    return bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else {
          var awaited = [
            pollfd(fd: file, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: end.fileDescriptor, events: Int16(POLLIN), revents: 0),
          ]
          _ = poll(&awaited, 2, -1)
          if awaited[1].revents != 0 { return false }
        }
      }
      return true
    }
  }
}
