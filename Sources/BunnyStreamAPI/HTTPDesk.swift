import Foundation
import FoundationNetworking
import Synchronization

/// Tells each exchange what URLSession reports of it, and its owner what came of it, once.
final class HTTPDesk: NSObject, URLSessionDataDelegate {
  private struct Entry {
    var exchange: HTTPExchange
    let promise: HTTPPromise
  }

  private let entries = Mutex<[Int: Entry]>([:])  // by the task's identifier

  func open(_ task: URLSessionTask, _ exchange: HTTPExchange, _ promise: HTTPPromise) {
    let identifier = task.taskIdentifier
    entries.withLock { $0[identifier] = Entry(exchange: exchange, promise: promise) }
  }

  /// Forgets the exchange.
  @discardableResult
  func close(_ task: URLSessionTask) -> HTTPPromise? {
    let identifier = task.taskIdentifier
    return entries.withLock { $0.removeValue(forKey: identifier) }?.promise
  }

  private func finish(_ task: URLSessionTask, _ outcome: HTTPOutcome) {
    close(task)?.keep(outcome)
  }

  private func change<Result: Sendable>(
    _ task: URLSessionTask, _ body: @Sendable (inout HTTPExchange) -> Result
  ) -> Result? {
    let identifier = task.taskIdentifier
    return entries.withLock { entries in
      guard entries[identifier] != nil else { return nil }
      return body(&entries[identifier]!.exchange)
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode
    _ = change(dataTask) { $0.respond(status: status) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let step = change(dataTask) { $0.take(data) }
    if case .finish(let outcome) = step { finish(dataTask, outcome) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    let follows = change(task) { $0.follows(request) } ?? false
    completionHandler(follows ? request : nil)
  }

  /// A 401 that names a scheme. URLSession on Linux never ends a task whose challenge is passed over,
  /// so it ends here; the answer has been read.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let outcome = change(task) { $0.outcome() }
    finish(task, outcome ?? .failed(.cancelled))
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    // A redirect to nowhere is not reported before.
    let status = (task.response as? HTTPURLResponse)?.statusCode
    let outcome = change(task) { $0.outcome(orStatus: status) } ?? .failed(.cancelled)
    finish(task, error.map { .failed(.broken(Self.words($0))) } ?? outcome)
  }

  private static func words(_ error: any Error) -> String {
    let words = (error as NSError).userInfo[NSLocalizedDescriptionKey] as? String
    return words ?? "error \((error as NSError).code)"
  }
}
