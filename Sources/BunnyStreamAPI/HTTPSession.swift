import Foundation
import FoundationNetworking

/// A URLSession of our own: no cookies, cache or credentials, bodies bounded, redirects to elsewhere
/// refused. TLS is verified as URLSession does by default.
final class HTTPSession: Sendable {
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

  deinit { session.invalidateAndCancel() }

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
    let task = session.dataTask(with: request)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        desk.open(task, HTTPExchange(request), continuation)
        // Cancelled before it was open: the handler found nothing to finish.
        if Task.isCancelled { desk.finish(task, .failed(.cancelled)) } else { task.resume() }
      }
    } onCancel: {
      desk.finish(task, .failed(.cancelled))
    }
  }
}
