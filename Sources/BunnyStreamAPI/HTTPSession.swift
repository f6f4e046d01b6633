import Foundation
import FoundationNetworking

/// A URLSession of our own: no cookies, cache or credentials, bodies bounded, redirects to elsewhere
/// refused. TLS is verified as URLSession does by default.
///
/// On Linux every method of a session or a task waits for a queue that all sessions of the process
/// share, where libcurl reads. So they are called on ``waiting``, never on Swift's pool or Dispatch's,
/// which are one: whatever keeps that queue busy, a call ends in time.
final class HTTPSession: Sendable {
  /// A thread of its own.
  static let waiting = DispatchQueue(label: "bunny-api")

  private let session: URLSession
  private let desk = HTTPDesk()

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    session = URLSession(configuration: configuration, delegate: desk, delegateQueue: nil)
  }

  deinit {
    let session = session
    Self.waiting.async { session.invalidateAndCancel() }
  }

  /// Sends `request` and reads the answer, all within `limit`. Ends at once when cancelled.
  func exchange(_ request: URLRequest, within limit: Duration) async -> HTTPOutcome {
    await withTaskGroup(of: HTTPOutcome.self) { group in
      group.addTask { await self.exchange(request) }
      group.addTask {
        let isOver = (try? await Task.sleep(for: limit)) != nil
        return .failed(isOver ? .timedOut(limit) : .cancelled)
      }
      let first = await group.next() ?? .failed(.cancelled)
      group.cancelAll()
      return first
    }
  }

  private func exchange(_ request: URLRequest) async -> HTTPOutcome {
    let promise = HTTPPromise()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard promise.keep(for: continuation) else { return }
        Self.waiting.async { self.start(request, promise) }
      }
    } onCancel: {
      promise.keep(.failed(.cancelled))
    }
  }

  private func start(_ request: URLRequest, _ promise: HTTPPromise) {
    let task = session.dataTask(with: request)
    desk.open(task, HTTPExchange(request), promise)
    if promise.attach(task) { task.resume() } else { desk.close(task) }
  }
}
