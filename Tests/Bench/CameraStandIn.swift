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
    let (path, isOver, period) = (path, isOver, Int64(1_000_000_000 / framesPerSecond))
    startThread("camera") {
      guard let file = Self.open(path, until: isOver) else { return }
      defer { close(file) }
      var due = MonotonicTime.now
      for index in 0..<(limit ?? .max) {
        guard !isOver.isSet, Self.write(frames[index % frames.count], to: file) else { return }
        due = max(due + period, .now)
        Self.wait(until: due)
      }
    }
  }

  deinit { isOver.isSet = true }

  /// Once somebody reads.
  private static func open(_ path: String, until isOver: Flag) -> Int32? {
    while !isOver.isSet {
      let file = Glibc.open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if file >= 0 {
        _ = fcntl(file, F_SETFL, O_WRONLY)
        return file
      }
      wait(until: .now + 1_000_000)
    }
    return nil
  }

  /// - Returns: false when nobody reads any more.
  private static func write(_ frame: String, to file: Int32) -> Bool {
    guard let bytes = FileManager.default.contents(atPath: frame) else { return false }
    return bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  private static func wait(until moment: MonotonicTime) {
    let seconds = Double(moment - .now) / 1e9
    if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
  }
}
