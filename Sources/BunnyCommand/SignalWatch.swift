package import BunnySystem
import Glibc
import Synchronization

/// The signals that end or suspend the command, taken by a thread of its own (`sigwait`), where
/// anything may be done: no code runs in a signal handler.
///
/// What was ignored when the process began (`nohup`) stays ignored.
enum SignalWatch {
  /// Blocks the signals. Call before any other thread is started, for threads inherit it, and after
  /// whatever a Ctrl-C should simply end, such as waiting for a key on standard input.
  static func prepare() {
    var blocked = watched()
    // Writing and reading a terminal from the background: an error rather than being stopped.
    sigaddset(&blocked, SIGTTOU)
    sigaddset(&blocked, SIGTTIN)
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
  }

  /// Calls `receive` for each signal that comes, on the watch's thread.
  static func start(_ receive: @escaping @Sendable (Int32) -> Void) {
    let signals = watched()
    startThread("signals") {
      var signals = signals
      while true {
        var number: Int32 = 0
        if sigwait(&signals, &number) == 0 { receive(number) }
      }
    }
  }

  /// Ends the process by `number`, as if nobody had watched.
  static func die(_ number: Int32) -> Never {
    signal(number, SIG_DFL)
    deliver(number)
    _exit(128 + number)
  }

  /// Does what `number` does to those who do not watch; returns when the process goes on.
  static func deliver(_ number: Int32) {
    var one = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, number)
    pthread_sigmask(SIG_UNBLOCK, &one, nil)
    kill(getpid(), number)
    pthread_sigmask(SIG_BLOCK, &one, nil)
  }

  /// `SIGTERM`, for a log.
  static func name(_ number: Int32) -> String {
    switch number {
    case SIGINT: "SIGINT"
    case SIGTERM: "SIGTERM"
    case SIGHUP: "SIGHUP"
    default: "signal \(number)"
    }
  }

  private static func watched() -> sigset_t {
    unignoredSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT])
  }
}

/// What the signals that end a process mean, the first time and after that.
package struct EndingRule: Sendable {
  package enum Step: Equatable, Sendable {
    /// End the broadcast as it should be ended.
    case end
    /// End the process at once.
    case die
    case nothing
  }

  /// Signals that follow the first one within this, in nanoseconds, are the same wish: `timeout` and a
  /// terminal that closes send more than one.
  package static let echo = Int64.seconds(1)

  private var firstEnd: MonotonicTime?

  package init() {}

  package mutating func received(_ number: Int32, at now: MonotonicTime) -> Step {
    guard number != SIGQUIT else { return .die }
    guard [SIGINT, SIGTERM, SIGHUP].contains(number) else { return .nothing }
    guard let firstEnd else {
      firstEnd = now
      return .end
    }
    return number == SIGHUP || now - firstEnd < Self.echo ? .nothing : .die
  }
}
