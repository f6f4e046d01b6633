package import FoundationEssentials

/// A call of the REST API as a value, made without a network: what to ask, how to read the answer, and
/// what it does in words.
package struct RESTCall<Answer: Sendable>: Sendable {
  package let method: RESTMethod
  /// Below the base URL; each piece is percent-encoded on its own.
  package let path: [String]
  package let query: [RESTQueryItem]
  package let body: RESTBody?
  /// What it does, as in "could not …".
  package let purpose: String
  package let repetition: RESTRepetition
  /// Why it cannot be sent, in words that begin with the field's name; nil when it can.
  package let flaw: String?
  /// What an answer of 404 means; nil when it means a failure.
  let missing: Answer?
  /// The secrets in the body.
  let secrets: [String]
  /// Makes the answer of a success's body; nil when that is none. It has seen to it that the body
  /// reports no failure.
  let read: @Sendable (AnswerBody) -> Answer?

  init(
    _ method: RESTMethod, _ path: [String], query: [RESTQueryItem] = [], body: RESTBody? = nil,
    to purpose: String, _ repetition: RESTRepetition, flaw: String? = nil, missing: Answer? = nil,
    secrets: [String] = [], read: @escaping @Sendable (AnswerBody) -> Answer?
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
    self.purpose = purpose
    self.repetition = repetition
    self.flaw = flaw
    self.missing = missing
    self.secrets = secrets
    self.read = read
  }
}

package enum RESTMethod: String, Sendable {
  case get = "GET"
  case put = "PUT"
  case post = "POST"
  case delete = "DELETE"
}

/// One `name=value` behind the path.
package struct RESTQueryItem: Equatable, Sendable {
  package let name: String
  package let value: String
}

extension [RESTQueryItem] {
  /// Those that have a value, in order.
  static func given(_ items: (name: String, value: String?)...) -> Self {
    items.compactMap { item in item.value.map { RESTQueryItem(name: item.name, value: $0) } }
  }
}

/// What a request carries.
package struct RESTBody: Equatable, Sendable {
  package let bytes: Data
  /// As in `application/json`.
  package let type: String

  init(_ bytes: Data, type: String) {
    self.bytes = bytes
    self.type = type
  }

  /// An object of the fields that are not nil.
  init(_ fields: [String: JSON?]) {
    self.init(
      JSON.object(JSONObject(fields.compactMapValues(\.self))).bytes, type: "application/json")
  }
}

/// The body of a success.
struct AnswerBody: Sendable {
  let isEmpty: Bool
  /// nil when it is no JSON.
  let json: JSON?
  let bytes: Data

  init(_ body: Data) {
    bytes = body
    json = JSON(body)
    isEmpty = body.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  /// A StatusModel with `success: false`.
  var isFailure: Bool { json?["success"]?.flag == false }
}

extension HTTPAnswer {
  /// Its body is none, or an object of JSON: not the page of a server that knows nothing of this API.
  fileprivate var isOfAnAPI: Bool {
    let body = AnswerBody(self.body)
    if body.isEmpty { return true }
    if case .object? = body.json { return true }
    return false
  }
}

// What an answer means.
extension RESTCall {
  // Not a throwing function: one that ends by copying a large answer is miscompiled (CONTRIBUTING).
  package func answer(
    from response: HTTPAnswer, _ cleaner: TextCleaner
  ) -> Result<Answer, BunnyLiveStreamError> {
    if response.status == 404, let missing, response.isOfAnAPI { return .success(missing) }
    guard (200...299).contains(response.status) else {
      return .failure(refusal(response, cleaner))
    }
    guard !response.isCut else {
      let words = "it is longer than \(HTTPAnswer.longestBody) bytes"
      return .failure(error(.invalidResponse, response.status, words, cleaner))
    }
    let body = AnswerBody(response.body)
    if let json = body.json, body.isFailure { return .failure(failure(json, cleaner)) }
    guard let answer = read(body) else {
      let words = body.isEmpty ? "it is empty" : "it is not the JSON that this call answers with"
      return .failure(error(.invalidResponse, response.status, words, cleaner))
    }
    return .success(answer)
  }

  /// What a StatusModel inside a success reports.
  private func failure(_ json: JSON, _ cleaner: TextCleaner) -> BunnyLiveStreamError {
    let status = json["statusCode"]?.int
    return error(
      status.map(BunnyLiveStreamError.Kind.init(statusCode:)) ?? .unexpected, status,
      ErrorBody.words(in: json, cleaner) ?? "it reports a failure without a reason", cleaner)
  }

  private func refusal(
    _ response: HTTPAnswer, _ cleaner: TextCleaner
  ) -> BunnyLiveStreamError {
    let words =
      if let target = response.refusedRedirect {
        "it redirects to \(target), which is not followed"
      } else {
        response.isCut ? nil : ErrorBody.words(in: response.body, cleaner)
      }
    return error(.init(statusCode: response.status), response.status, words, cleaner)
  }

  /// An error of this call.
  package func error(
    _ kind: BunnyLiveStreamError.Kind, _ statusCode: Int?, _ message: String?,
    _ cleaner: TextCleaner, advice: String? = nil
  ) -> BunnyLiveStreamError {
    BunnyLiveStreamError(
      kind: kind, statusCode: statusCode, message: message.flatMap(cleaner.clean),
      attempt: cleaner.clean(purpose), advice: advice)
  }
}
