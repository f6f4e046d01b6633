import Foundation
import Support
import Synchronization

/// The one command that is running, so that Ctrl-C takes it along.
enum Running {
  private struct State {
    var child: ChildProcess?
    var cleanUp: (@Sendable () -> Void)?
  }

  private static let state = Mutex(State())

  /// Runs a command to its end.
  ///
  /// - Parameters:
  ///   - started: is told its number.
  ///   - cleanUp: what an interrupted run leaves to be done.
  static func toEnd(
    _ command: String, _ arguments: [String], atMost seconds: Double,
    started: (pid_t) -> Void = { _ in },
    leaving cleanUp: @escaping @Sendable () -> Void = {}
  ) async throws -> ChildProcess.Outcome {
    let child = try state.withLock { state in
      let child = try ChildProcess(command, arguments)
      state = State(child: child, cleanUp: cleanUp)
      return child
    }
    defer { state.withLock { $0 = State() } }
    started(child.processID)
    return try await child.outcome(atMost: seconds)
  }

  /// From here on Ctrl-C ends the running command, cleans up and exits.
  ///
  /// - Returns: What listens for signals, as long as it is kept.
  static func endWithSignals() -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        state.withLock { state in
          state.child?.send(SIGKILL)
          state.cleanUp?()
          exit(128 + number)  // under the lock: nothing new is started
        }
      }
      source.resume()
      return source
    }
  }
}
