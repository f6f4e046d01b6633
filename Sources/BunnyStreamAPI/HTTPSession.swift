import BunnySystem
import Glibc
import Synchronization

/// Sends requests, each on a thread of its own; a connection that is still open when a call is done
/// serves the next.
final class HTTPSession: Sendable {
  /// More than this no call waits, whatever its limit.
  private static let longestLimit = Duration.seconds(24 * 3600)

  private let idle = Mutex<HTTPConnection?>(nil)
  private let trusted: String?

  /// - Parameter trusted: a file of authorities in place of the system's, for tests.
  init(trusting trusted: String? = nil) { self.trusted = trusted }

  /// Sends `request` and reads the answer, all within `limit`. Ends at once when cancelled.
  func exchange(_ request: HTTPRequest, within limit: Duration) async -> HTTPOutcome {
    await withTaskGroup(of: HTTPOutcome.self) { group in
      group.addTask { await self.exchange(request, limit) }
      // libcurl keeps the limit too, but for a look-up of a name that hangs.
      group.addTask {
        let isOver = (try? await Task.sleep(for: limit)) != nil
        return .failed(isOver ? .timedOut : .cancelled)
      }
      let first = await group.next() ?? .failed(.cancelled)
      group.cancelAll()
      return first
    }
  }

  private func exchange(_ request: HTTPRequest, _ limit: Duration) async -> HTTPOutcome {
    let outcome = Promise<HTTPOutcome>()
    let isOver = Flag()
    let nanoseconds = Int64.seconds(min(max(limit, .zero), Self.longestLimit) / .seconds(1))
    let deadline = MonotonicTime.now + nanoseconds
    return await withTaskCancellationHandler {
      if !Task.isCancelled {
        startThread("api-call") { outcome.keep(self.perform(request, deadline, isOver)) }
      }
      return await outcome.value
    } onCancel: {
      outcome.keep(.failed(.cancelled))
      isOver.isSet = true  // nobody waits for the exchange any more
    }
  }

  private func perform(
    _ request: HTTPRequest, _ deadline: MonotonicTime, _ isOver: Flag
  ) -> HTTPOutcome {
    Self.ignoreBrokenPipes()
    guard let connection = idle.withLock({ $0.take() }) ?? HTTPConnection(trusting: trusted)
    else {
      return .failed(.broken("libcurl does not begin", wasSent: false))
    }
    switch connection.exchange(request, until: deadline, isOver) {
    case .success(let answer):
      keep(connection)
      return .answer(answer)
    case .failure(.broken) where MonotonicTime.now >= deadline: return .failed(.timedOut)
    case .failure(let failure): return .failed(failure)
    }
  }

  private func keep(_ connection: HTTPConnection) {
    // What was kept before is closed here, not under the lock.
    _ = idle.withLock { idle in
      defer { idle = connection }
      return idle
    }
  }

  /// On this thread: a server that hangs up must not end the process while it is written to.
  private static func ignoreBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
