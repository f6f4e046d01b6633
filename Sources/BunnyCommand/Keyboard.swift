import Glibc
import Synchronization

/// A terminal that hands over single keys, without echo, while this process is in its foreground.
///
/// Ctrl-C and its like still make signals. Whatever way the process ends, short of SIGKILL,
/// ``release()`` puts the terminal back, or a handler does when it crashes.
final class Keyboard: Sendable {
  private let fileDescriptor: Int32
  private struct State {
    var before: termios?  // what to put back; nil when nothing is changed
    var isLent = false  // released on purpose: not to be taken by the way
  }
  private let state = Mutex(State())

  /// nil when `fileDescriptor` is no terminal.
  init?(_ fileDescriptor: Int32) {
    guard isatty(fileDescriptor) == 1 else { return nil }
    self.fileDescriptor = fileDescriptor
  }

  /// Whether keys may be read now: otherwise they belong to somebody else, the shell most likely.
  var isOurs: Bool {
    state.withLock { $0.before != nil } && Terminal.isForeground(fileDescriptor)
  }

  /// Takes the keyboard, if we are in the foreground. Also after the process was suspended, when
  /// the shell has set the terminal to its own liking.
  func take() {
    state.withLock { state in
      state.isLent = false
      change(&state)
    }
  }

  /// Takes the keyboard if we have come to the foreground: no signal says so when a shell's `fg`
  /// meets a job that was running.
  func takeIfFree() {
    state.withLock { state in
      if !state.isLent && state.before == nil { change(&state) }
    }
  }

  /// Puts the terminal back, unless it has become somebody else's.
  func release() {
    state.withLock { state in
      state.isLent = true
      guard var settings = state.before else { return }
      state.before = nil
      guard Terminal.isForeground(fileDescriptor) else { return }
      tcsetattr(fileDescriptor, TCSANOW, &settings)
    }
  }

  private func change(_ state: inout State) {
    var settings = termios()
    guard Terminal.isForeground(fileDescriptor), tcgetattr(fileDescriptor, &settings) == 0 else {
      return
    }
    if state.before == nil {
      state.before = settings
      CrashRestore.arm(fileDescriptor, settings)
    }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    settings.c_lflag |= tcflag_t(ISIG)
    tcsetattr(fileDescriptor, TCSANOW, &settings)
  }

  /// What has been typed; nil when the terminal is gone.
  func keys() -> [Character]? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(fileDescriptor, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil }
    return bytes[..<count].map { Character(UnicodeScalar($0)) }
  }
}

enum Terminal {
  /// Whether this process may use the terminal: its process group is the foreground one.
  static func isForeground(_ fileDescriptor: Int32) -> Bool {
    tcgetpgrp(fileDescriptor) == getpgrp()
  }

  /// Columns, asked anew each time: people resize windows.
  static func width(_ fileDescriptor: Int32) -> Int {
    var size = [UInt16](repeating: 0, count: 4)  // a `winsize`: rows, columns, pixels
    guard ioctl(fileDescriptor, UInt(TIOCGWINSZ), &size) == 0, size[1] > 0 else { return 80 }
    return Int(size[1])
  }
}

/// Puts the terminal back when the process crashes: a shell without echo is a bad farewell.
private enum CrashRestore {
  // Written before the handlers are installed, read by them.
  nonisolated(unsafe) private static var terminal: Int32 = -1
  nonisolated(unsafe) private static var settings = termios()

  static func arm(_ fileDescriptor: Int32, _ before: termios) {
    terminal = fileDescriptor
    settings = before
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
      var action = sigaction()
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      action.__sigaction_handler.sa_handler = { _ in
        // tcsetattr is async-signal-safe. Returning repeats the fault, which now kills.
        tcsetattr(CrashRestore.terminal, TCSANOW, &CrashRestore.settings)
      }
      sigaction(number, &action, nil)
    }
  }
}
