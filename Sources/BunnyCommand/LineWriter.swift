import BunnyBroadcast
package import BunnySystem
import Glibc
import Synchronization

/// Writes lines to a file descriptor from a thread of its own, so that a reader who stalls keeps
/// nobody waiting: what does not fit into the queue is lost, oldest first, and counted.
package final class LineWriter: Sendable {
  /// What the first failed write was, and whether it matters for good.
  package enum Failure: Equatable, Sendable {
    /// Nobody reads any more (`EPIPE`).
    case readerGone
    /// Any other; later lines are tried all the same.
    case system(Int32)
  }

  private struct State {
    var queue: [String] = []
    var isWriting = false
    var lost = 0
    var isClosed = false
    var failure: Failure?
  }

  private let fileDescriptor: Int32
  private let capacity: Int
  private let attention: WakeEvent?
  private let state = Mutex(State())
  private let wake = WakeEvent()
  private let done = WakeEvent()

  /// - Parameters:
  ///   - capacity: lines that may wait.
  ///   - attention: signalled whenever ``failure`` changes.
  package init(
    to fileDescriptor: Int32, name: String, capacity: Int = 256, attention: WakeEvent? = nil
  ) {
    self.fileDescriptor = fileDescriptor
    self.capacity = capacity
    self.attention = attention
    startThread(name) { self.run() }
  }

  /// Lines that never arrived, so far.
  package var lost: Int { state.withLock { $0.lost } }

  /// The first write that failed, or that the reader has gone.
  package var failure: Failure? { state.withLock { $0.failure } }

  /// Queues `text` as it is. Never waits.
  package func write(_ text: String) { write { _ in text } }

  /// Queues what `text` makes of how many lines are lost by then, those that make room for it included.
  package func write(_ text: (Int) -> String?) {
    state.withLock { state in
      guard !state.isClosed else { return }
      let isFull = state.queue.count >= capacity
      guard let text = text(state.lost + (isFull ? 1 : 0)) else { return }
      if isFull {
        state.queue.removeFirst()
        state.lost += 1
      }
      state.queue.append(text)
    }
    wake.signal()
  }

  /// Lets what is queued be written, for at most so long. Nothing can be written afterwards.
  package func finish(within limit: Duration = .seconds(1)) {
    state.withLock { $0.isClosed = true }
    wake.signal()
    done.wait(until: .now + .milliseconds(Int64(limit.inMilliseconds)))
  }

  /// Waits until nothing is queued, for at most so long.
  package func drain(within limit: Duration) {
    let deadline = MonotonicTime.now + .milliseconds(Int64(limit.inMilliseconds))
    while MonotonicTime.now < deadline {
      if state.withLock({ $0.queue.isEmpty && !$0.isWriting }) { return }
      usleep(2000)
    }
  }

  private func run() {
    var endsInMidLine = false
    while let line = next() {
      let (failure, count) = writeAll(endsInMidLine ? "\n" + line : line)
      guard let failure else {
        endsInMidLine = false
        continue
      }
      if count > 0 { endsInMidLine = true }
      note(failure)
      if failure == .readerGone { break }
    }
    state.withLock { state in
      state.lost += state.queue.count
      state.queue = []
      state.isClosed = true
    }
    done.signal()
  }

  private func note(_ failure: Failure) {
    state.withLock { state in
      state.lost += 1
      if state.failure == nil || failure == .readerGone { state.failure = failure }
    }
    attention?.signal()
  }

  /// nil once closed and empty.
  private func next() -> String? {
    while true {
      let (line, isClosed) = state.withLock { state -> (String?, Bool) in
        state.isWriting = !state.queue.isEmpty
        return (state.queue.isEmpty ? nil : state.queue.removeFirst(), state.isClosed)
      }
      if let line { return line }
      if isClosed { return nil }
      wake.wait(until: .now + .seconds(3600))
    }
  }

  private func writeAll(_ text: String) -> (failure: Failure?, bytes: Int) {
    var text = text
    return text.withUTF8 { bytes in
      let (code, count) = writeBytes(bytes, to: fileDescriptor)
      guard code != 0 else { return (nil, count) }
      return (code == EPIPE ? .readerGone : .system(code), count)
    }
  }
}

/// Writes all of `bytes`, waiting as long as it takes.
///
/// - Returns: The system's error number, or 0; and how many bytes were written.
func writeBytes(
  _ bytes: UnsafeBufferPointer<UInt8>, to fileDescriptor: Int32
) -> (code: Int32, count: Int) {
  var count = 0
  while count < bytes.count {
    let written = Glibc.write(fileDescriptor, bytes.baseAddress! + count, bytes.count - count)
    if written >= 0 {
      count += written
    } else if errno == EAGAIN {  // whoever shares this file made it non-blocking
      var poll = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
      _ = Glibc.poll(&poll, 1, -1)
    } else if errno != EINTR {
      return (errno, count)
    }
  }
  return (0, count)
}

/// Writes `text` to standard output and makes sure of it: a shell's `>` may meet a full disk.
func printOut(_ text: String) throws(CommandError) {
  var text = text
  let code = text.withUTF8 { writeBytes($0, to: STDOUT_FILENO).code }
  if code == EPIPE { SignalWatch.die(SIGPIPE) }  // as others before `head` do
  guard code == 0 else {
    throw CommandError(
      .cannotWrite,
      "standard output cannot be written: \(systemWords(code)); check where it leads to")
  }
}
