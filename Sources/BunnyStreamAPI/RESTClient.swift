import Synchronization

/// Sends calls to one API with one access key.
final class RESTClient: Sendable, CustomReflectable {
  private let accessKey: BunnyAccessKey
  private let baseURL: BunnyAPIBaseURL
  private let timeout: Duration
  private let session = HTTPSession()
  private let seenSecrets = Mutex<[String]>([])  // newest last

  var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }

  init(accessKey: BunnyAccessKey, baseURL: BunnyAPIBaseURL, timeout: Duration) {
    self.accessKey = accessKey
    self.baseURL = baseURL
    self.timeout = timeout
  }

  func send<Answer>(_ call: RESTCall<Answer>) async throws(BunnyLiveStreamError) -> Answer {
    if let problem = accessKey.problem {
      throw call.error(.unauthorized, nil, "it \(problem)", cleaner)
    }
    guard let request = request(for: call) else {
      throw call.error(.invalidRequest, nil, "that cannot be an id", cleaner)
    }
    switch await session.exchange(request, within: timeout) {
    case .answer(let response):
      switch call.answer(from: response, cleaner) {
      case .success(let answer): return answer
      case .failure(let error): throw error
      }
    case .failed(let failure):
      throw call.error(.transport, nil, "\(baseURL.origin): \(failure.words)", cleaner)
    }
  }

  /// Keeps these out of errors from now on.
  func hide(_ secrets: [String]) {
    seenSecrets.withLock { seen in
      seen = (seen.filter { !secrets.contains($0) } + secrets).suffix(64)
    }
  }

  private var cleaner: TextCleaner {
    TextCleaner(hiding: seenSecrets.withLock { $0 } + [accessKey.reveal()])
  }

  /// nil when a piece of the path would not stay one.
  private func request<Answer>(for call: RESTCall<Answer>) -> HTTPRequest? {
    guard let path = URLPath.encoded(call.path) else { return nil }
    return HTTPRequest(
      method: call.method.rawValue, url: baseURL.origin + baseURL.path + path,
      headers: ["AccessKey: \(accessKey.reveal())", "Accept: application/json"])
  }
}
