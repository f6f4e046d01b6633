import BunnySystem
import Glibc

/// The end of a pipe that is read: standard input, or a FIFO. Belongs to one thread.
final class Pipe {
  enum Outcome {
    /// Or its end.
    case bytes
    case timeout
    case woken
  }

  private let fileDescriptor: Int32
  private let isOwned: Bool
  /// So that a program which hands over whole pictures need not wait for us.
  private static let room: Int32 = 1 << 20
  private static let setPipeSize: Int32 = 1031  // F_SETPIPE_SZ, which Glibc's module does not show

  /// Standard input.
  init() throws(PipeProblem) {
    (fileDescriptor, isOwned) = (STDIN_FILENO, false)
    if isatty(STDIN_FILENO) == 1 { throw .terminal }
    _ = fcntl(fileDescriptor, Self.setPipeSize, Self.room)  // a wish
  }

  /// A FIFO, which is made if there is nothing at `path`. Does not wait for a writer.
  ///
  /// - Parameter made: is called when it was made.
  init(_ path: String, made: () -> Void) throws(PipeProblem) {
    isOwned = true
    if mkfifo(path, 0o666) == 0 {
      made()
    } else if errno != EEXIST {
      throw .closed(reason: V4L2Device.words(errno))
    }
    fileDescriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if fileDescriptor < 0 { throw .closed(reason: V4L2Device.words(errno)) }
    var status = stat()
    guard fstat(fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      throw .notFIFO
    }
    _ = fcntl(fileDescriptor, Self.setPipeSize, Self.room)
  }

  deinit { if isOwned && fileDescriptor >= 0 { close(fileDescriptor) } }

  /// Whether it is what `path` names: else nobody who opens that reaches it.
  func isStill(at path: String) -> Bool {
    var (own, named) = (stat(), stat())
    return fstat(fileDescriptor, &own) == 0 && stat(path, &named) == 0
      && own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  /// Waits until there is something to read.
  func wait(for wake: WakeEvent, until deadline: MonotonicTime) -> Outcome {
    while true {
      var waits: InlineArray<2, pollfd> = [
        pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.fileDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      let milliseconds = max(0, (deadline - .now + 999_999) / 1_000_000)
      var span = waits.mutableSpan
      span.withUnsafeMutableBufferPointer {
        _ = poll($0.baseAddress, 2, Int32(min(milliseconds, Int64(Int32.max))))
      }
      if waits[1].revents != 0 { return .woken }
      if waits[0].revents != 0 { return .bytes }
      if MonotonicTime.now >= deadline { return .timeout }
    }
  }

  /// Reads what is there into memory, after ``wait(for:until:)``.
  ///
  /// - Returns: how many bytes; 0: nobody writes to it any more, or it cannot be read.
  func read(_ memory: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Glibc.read(fileDescriptor, memory.baseAddress, memory.count)
      if count < 0 && errno == EINTR { continue }
      return max(0, count)
    }
  }
}
