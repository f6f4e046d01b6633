import BunnyStreamAPI
import Foundation
import Testing

struct ErrorTextTests {
  private static let stop = "stop the live stream 7b9f of library 12"

  @Test(arguments: [
    (
      BunnyLiveStreamError(kind: .unauthorized, statusCode: 401, attempt: stop),
      "could not stop the live stream 7b9f of library 12: the access key was refused (HTTP 401); "
        + "use the key on the API page of that library, not the account's"
    ),
    (
      .init(kind: .notFound, statusCode: 404, attempt: stop),
      "could not stop the live stream 7b9f of library 12: it was not found (HTTP 404); "
        + "check its GUID and the library's id"
    ),
    (
      .init(kind: .invalidRequest, statusCode: 400, message: "already ended", attempt: stop),
      "could not stop the live stream 7b9f of library 12: the request was refused "
        + "(HTTP 400: already ended); check the stream's state in Bunny's dashboard"
    ),
    (
      .init(kind: .unprocessable, statusCode: 422, message: "no picture", attempt: stop),
      "could not stop the live stream 7b9f of library 12: it cannot be done "
        + "(HTTP 422: no picture); check what was sent"
    ),
    (
      .init(kind: .server, statusCode: 503, attempt: stop),
      "could not stop the live stream 7b9f of library 12: Bunny's API failed (HTTP 503); "
        + "try again later"
    ),
    (
      .init(kind: .transport, message: "https://h: not within 30 s", attempt: stop),
      "could not stop the live stream 7b9f of library 12: no answer came "
        + "(https://h: not within 30 s); check the network and the API URL"
    ),
    (
      .init(kind: .invalidResponse, statusCode: 200, message: "it is empty", attempt: stop),
      "could not stop the live stream 7b9f of library 12: the answer cannot be read "
        + "(HTTP 200: it is empty); check the API URL"
    ),
    (
      .init(kind: .unexpected, statusCode: 429, attempt: stop),
      "could not stop the live stream 7b9f of library 12: the answer was not foreseen (HTTP 429); "
        + "try again later"
    ),
    (
      .init(kind: .invalidRequest, message: "title is blank; it takes some text", attempt: stop),
      "could not stop the live stream 7b9f of library 12: it was not sent "
        + "(title is blank; it takes some text); correct what was given"
    ),
    (
      .init(kind: .transport, message: "too early", attempt: stop, advice: "set the clock"),
      "could not stop the live stream 7b9f of library 12: no answer came (too early); "
        + "set the clock"
    ),
    (
      .init(kind: .server),
      "could not do what was asked: Bunny's API failed; try again later"
    ),
  ])
  func `an error says what was tried, why not, and what next`(
    _ error: BunnyLiveStreamError, _ text: String
  ) {
    #expect(error.description == text)
    #expect(error.errorDescription == text)
    #expect(error.localizedDescription == text)
  }

  @Test func `long words are cut in the sentence, not in the message`() {
    let words = String(repeating: "x", count: 1000)
    let error = BunnyLiveStreamError(kind: .server, message: words)
    #expect(error.message == words)
    #expect(error.description.contains("(" + words.prefix(300) + "…)"))
  }
}
