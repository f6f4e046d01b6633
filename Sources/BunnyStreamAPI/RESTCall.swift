import FoundationEssentials

/// A call of the REST API as a value, made without a network: what to ask, how to read the answer, and
/// what it does in words.
package struct RESTCall<Answer: Sendable>: Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case put = "PUT"
  }

  package let method: Method
  /// Below the base URL; each piece is percent-encoded on its own.
  package let path: [String]
  /// What it does, as in "could not …".
  package let purpose: String
  /// Makes the answer of a success's body; nil when that is none. It has seen to it that the body
  /// reports no failure.
  let read: @Sendable (AnswerBody) -> Answer?
}

/// The body of a success.
struct AnswerBody: Sendable {
  let isEmpty: Bool
  /// nil when it is no JSON.
  let json: JSON?

  init(_ body: Data) {
    json = JSON(body)
    isEmpty = body.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  /// A StatusModel with `success: false`.
  var isFailure: Bool { json?["success"]?.flag == false }
}

// What an answer means.
extension RESTCall {
  // Not a throwing function: one that ends by copying a large answer is miscompiled (CONTRIBUTING).
  package func answer(
    from response: HTTPAnswer, _ cleaner: TextCleaner
  ) -> Result<Answer, BunnyLiveStreamError> {
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
    _ cleaner: TextCleaner
  ) -> BunnyLiveStreamError {
    BunnyLiveStreamError(
      kind: kind, statusCode: statusCode, message: message.flatMap(cleaner.clean),
      attempt: cleaner.clean(purpose))
  }
}
