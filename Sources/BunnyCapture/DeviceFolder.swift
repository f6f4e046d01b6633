package import BunnySystem
import CBunnyShims
import Glibc

/// Notices that a device was plugged in, got other permissions, or was opened or let go by somebody
/// (`inotify` on `/dev` and its sound cards). Belongs to one thread.
package final class DeviceFolder {
  package enum Outcome: Equatable {
    /// A camera or microphone may have come.
    case changed
    case woken
    case timeout
  }

  private let queue = inotify_init1(O_NONBLOCK | O_CLOEXEC)
  private let root: String

  /// - Parameter root: another folder than `/dev`, for tests.
  package init(root: String = "/dev") { self.root = root }

  deinit { if queue >= 0 { close(queue) } }

  /// Notices what happens from now on; what happened before, by our own tries above all, is forgotten.
  package func begin() {
    guard queue >= 0 else { return }
    let plugged = UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO)
    for folder in [root, "\(root)/snd"] { inotify_add_watch(queue, folder, plugged) }
    // Who feeds a loopback camera opens it, who held a camera closes it.
    for name in SystemFiles.names(in: root) where name.hasPrefix("video") {
      inotify_add_watch(queue, "\(root)/\(name)", UInt32(IN_OPEN | IN_CLOSE_WRITE | IN_ATTRIB))
    }
    _ = drain()
  }

  /// - Parameter wake: is cleared when it was signalled.
  package func wait(for wake: WakeEvent, until deadline: MonotonicTime) -> Outcome {
    while true {
      var waits = [
        pollfd(fd: wake.fileDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: queue, events: Int16(POLLIN), revents: 0),  // below 0 it is left out
      ]
      let milliseconds = max(0, (deadline - .now + 999_999) / 1_000_000)
      _ = poll(&waits, 2, Int32(min(milliseconds, Int64(Int32.max))))
      if waits[0].revents != 0 {
        wake.clear()
        return .woken
      }
      if waits[1].revents != 0 && drain() { return .changed }
      if MonotonicTime.now >= deadline { return .timeout }
    }
  }

  /// - Returns: whether anything of it was about a camera or microphone.
  private func drain() -> Bool {
    var isOurs = false
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(queue, &bytes, bytes.count)
      guard count > 0 else { return isOurs }
      bytes.withUnsafeBytes { bytes in
        var place = 0
        while place + MemoryLayout<inotify_event>.size <= count {
          let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          let name = bytes[(place + MemoryLayout<inotify_event>.size)...].prefix(Int(event.len))
          // Without a name it is a camera's node itself.
          let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
          isOurs = isOurs || text.isEmpty || text == "snd"
          isOurs = isOurs || text.hasPrefix("video") || text.hasPrefix("pcmC")
          place += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
  }
}
