import FoundationEssentials
import Synchronization

/// Sends calls to one API with one credential.
final class RESTClient: Sendable, CustomReflectable {
  private let credential: BunnyAPICredential
  private let baseURL: BunnyAPIBaseURL
  private let timeout: Duration
  private let retry: BunnyRetryPolicy
  private let session: HTTPSession
  private let seenSecrets = Mutex<[String]>([])  // newest last

  var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }

  /// - Parameter trusted: a file of authorities in place of the system's.
  init(
    _ credential: BunnyAPICredential, _ baseURL: BunnyAPIBaseURL, timeout: Duration,
    retry: BunnyRetryPolicy, trusting trusted: String?
  ) {
    self.credential = credential
    self.baseURL = baseURL
    self.timeout = timeout
    self.retry = retry
    session = HTTPSession(trusting: trusted)
  }

  /// Sends `call`, again where the policy says so, and reads its answer.
  func send<Answer>(_ call: RESTCall<Answer>) async throws(BunnyLiveStreamError) -> Answer {
    hide(call.secrets)
    let request = try request(for: call)
    var rest = timeout
    let deadline = SuspendingClock.now + min(timeout, .seconds(24 * 3600))
    var sent = 0
    while true {
      let (error, failure): (BunnyLiveStreamError, BunnyRetryPolicy.Failure)
      switch await session.exchange(request, within: rest) {
      case .answer(let response):
        switch call.answer(from: response, cleaner) {
        case .success(let answer):
          if let holder = answer as? any HoldsSecrets { hide(holder.secrets) }
          return answer
        case .failure(var refusal):
          refusal.retryAfter = response.retryAfter?.pause(now: Date())
          (error, failure) = (refusal, Self.failure(call, refusal))
        }
      case .failed(let trouble):
        (error, failure) = (self.error(call, trouble), Self.failure(call, trouble))
      }
      sent += 1
      guard
        let pause = retry.pause(after: failure, sent: sent, chance: .random(in: 0...1)),
        .now + pause < deadline
      else { throw error }
      guard (try? await Task.sleep(for: pause)) != nil else {
        throw self.error(call, .cancelled)
      }
      rest = deadline - .now
    }
  }

  private static func failure<Answer>(
    _ call: RESTCall<Answer>, _ refusal: BunnyLiveStreamError
  ) -> BunnyRetryPolicy.Failure {
    var failure = BunnyRetryPolicy.Failure(
      call.repetition, refusal.kind, statusCode: refusal.statusCode)
    failure.retryAfter = refusal.retryAfter
    return failure
  }

  private static func failure<Answer>(
    _ call: RESTCall<Answer>, _ trouble: HTTPFailure
  ) -> BunnyRetryPolicy.Failure {
    var failure = BunnyRetryPolicy.Failure(call.repetition, .transport)
    failure.isCancelled = trouble == .cancelled
    failure.mayBeDone = trouble.mayBeDone
    return failure
  }

  private func error<Answer>(
    _ call: RESTCall<Answer>, _ trouble: HTTPFailure
  ) -> BunnyLiveStreamError {
    var advice: String?
    let words: String
    switch trouble {
    case .cancelled: words = "cancelled"
    case .timedOut: words = "not within \(Self.shown(timeout / .seconds(1))) s"
    case .broken(let libcurls, _): words = libcurls
    case .certificateTooEarly:
      words =
        "its certificate is not yet valid, for this machine's clock reads "
        + "\(BunnyTimestamp.wholeSeconds(Date())); a machine without a battery for its clock wakes "
        + "up in the past"
      advice = "set the clock, or wait until it is set over the network"
    }
    return call.error(.transport, nil, "\(baseURL.origin): \(words)", cleaner, advice: advice)
  }

  private static func shown(_ seconds: Double) -> String {
    Int(exactly: seconds).map(String.init) ?? "\(seconds)"
  }

  /// Keeps these out of errors from now on.
  private func hide(_ secrets: [String]) {
    guard !secrets.isEmpty else { return }
    let new = Set(secrets)
    seenSecrets.withLock { seen in
      seen = (seen.filter { !new.contains($0) } + secrets).suffix(1024)
    }
  }

  private var cleaner: TextCleaner {
    TextCleaner(hiding: seenSecrets.withLock { $0 } + credential.secrets)
  }

  /// - Throws: what makes it not worth sending.
  private func request<Answer>(
    for call: RESTCall<Answer>
  ) throws(BunnyLiveStreamError) -> HTTPRequest {
    if let problem = credential.problem {
      throw call.error(.unauthorized, nil, "it \(problem)", cleaner)
    }
    if let flaw = call.flaw { throw call.error(.invalidRequest, nil, flaw, cleaner) }
    // A piece of the path that would not stay one.
    guard let path = URLPath.encoded(call.path) else {
      throw call.error(.invalidRequest, nil, "that cannot be an id", cleaner)
    }
    return HTTPRequest(
      method: call.method.rawValue,
      url: baseURL.origin + baseURL.path + path + URLPath.encoded(call.query),
      headers: credential.lines + ["Accept: application/json"], body: call.body?.bytes ?? Data(),
      contentType: call.body?.type, isOnlyOnce: call.repetition == .once)
  }
}

/// An answer that must not come back out of a server's message.
protocol HoldsSecrets {
  var secrets: [String] { get }
}
