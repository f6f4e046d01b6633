import BunnyStreamAPI
import Foundation
import Testing

private let cleaner = TextCleaner(hiding: [accessKey])

private func answered(_ status: Int, _ body: String = "") -> HTTPAnswer {
  HTTPAnswer(status: status, body: Data(body.utf8))
}

/// The error that a start makes of an answer; nil when it takes it for a success.
private func startError(_ answer: HTTPAnswer) -> BunnyLiveStreamError? {
  switch RESTCall<Void>.startLiveStream("guid", in: 12).answer(from: answer, cleaner) {
  case .success: nil
  case .failure(let error): error
  }
}

private func getError(_ answer: HTTPAnswer) -> BunnyLiveStreamError? {
  switch RESTCall.getLiveStream("guid", in: 12).answer(from: answer, cleaner) {
  case .success: nil
  case .failure(let error): error
  }
}

/// Every status of the fact sheet's table, and its neighbours.
let kindsByStatus: [(Int, BunnyLiveStreamError.Kind, isPermanent: Bool)] = [
  (400, .invalidRequest, true), (401, .unauthorized, true), (403, .unauthorized, true),
  (404, .notFound, true), (410, .notFound, true), (422, .unprocessable, true),
  (500, .server, false), (502, .server, false), (503, .server, false), (599, .server, false),
  (300, .unexpected, false), (304, .unexpected, false), (402, .unexpected, false),
  (405, .unexpected, false), (409, .unexpected, false), (418, .unexpected, false),
  (429, .unexpected, false), (499, .unexpected, false), (600, .unexpected, false),
]

struct AnswerTests {
  @Test(arguments: kindsByStatus)
  func `each status has its kind`(
    _ status: Int, _ kind: BunnyLiveStreamError.Kind, _ isPermanent: Bool
  ) {
    let error = startError(answered(status))
    #expect(error?.kind == kind)
    #expect(error?.statusCode == status)
    #expect(error?.message == nil)
    #expect(error?.attempt == "start the live stream guid of library 12")
    #expect(error?.isPermanent == isPermanent)
  }

  @Test func `only some kinds are worth trying again`() {
    let again = BunnyLiveStreamError.Kind.allCases.filter {
      !BunnyLiveStreamError(kind: $0).isPermanent
    }
    #expect(again == [.server, .transport, .invalidResponse, .unexpected])
  }

  @Test(arguments: [200, 201, 202, 204, 299])
  func `any 2xx is a success`(_ status: Int) {
    #expect(startError(answered(status)) == nil)
    #expect(getError(answered(status, "{}")) == nil)
  }

  @Test(arguments: [
    "", " \r\n", #"{"guid":"g","status":4}"#, #"{"success":true,"message":"ok","statusCode":200}"#,
    #"{"success":null}"#, #"{"message":"no success told"}"#, "{}", "null", "[]", #""done""#, "true",
    #"{"success":"false"}"#,
  ])
  func `a start or stop takes a stream, a StatusModel, nothing or any other JSON`(_ body: String) {
    #expect(startError(answered(200, body)) == nil)
  }

  @Test(arguments: ["<html>hotel wifi</html>", "OK", "{", "{\"success\":tru", "\u{0}", "{}{}"])
  func `a body that is no JSON is somebody else's answer`(_ body: String) {
    for error in [startError(answered(200, body)), getError(answered(200, body))] {
      #expect(error?.kind == .invalidResponse)
      #expect(error?.message == "it is not the JSON that this call answers with")
    }
  }

  @Test func `a get without a body cannot be read`() {
    #expect(getError(answered(200))?.message == "it is empty")
    #expect(getError(answered(204))?.kind == .invalidResponse)
  }

  @Test(arguments: ["[]", "null", "7", #""text""#, #"[{"guid":"g"}]"#])
  func `a get that answers no object cannot be read`(_ body: String) {
    #expect(getError(answered(200, body))?.kind == .invalidResponse)
  }

  @Test func `bytes that are no UTF-8 cannot be read`() {
    let answer = HTTPAnswer(status: 200, body: Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31]))
    #expect(getError(answer)?.kind == .invalidResponse)
  }

  @Test func `JSON as deep as can be neither crashes nor passes`() {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(getError(answered(200, deep))?.kind == .invalidResponse)
    #expect(getError(answered(200, "{\"a\":" + deep + "}"))?.kind == .invalidResponse)
  }

  @Test(arguments: [
    (400, BunnyLiveStreamError.Kind.invalidRequest), (401, .unauthorized), (404, .notFound),
    (422, .unprocessable), (500, .server), (418, .unexpected), (200, .unexpected),
  ])
  func `success false inside a 200 is an error of the kind of its status`(
    _ status: Int, _ kind: BunnyLiveStreamError.Kind
  ) {
    let body =
      #"{"success":false,"message":"Live stream has already ended","statusCode":\#(status)}"#
    for error in [startError(answered(200, body)), getError(answered(200, body))] {
      #expect(error?.kind == kind)
      #expect(error?.statusCode == status)
      #expect(error?.message == "Live stream has already ended")
    }
  }

  @Test func `success false without a status is unexpected`() {
    let error = startError(answered(200, #"{"success":false,"statusCode":"400"}"#))
    #expect(error?.kind == .unexpected)
    #expect(error?.statusCode == nil)
    #expect(error?.message == "it reports a failure without a reason")
  }

  @Test func `a body that was cut is no answer, but its status still counts`() {
    let long = HTTPAnswer(status: 200, body: Data("{}".utf8), isCut: true)
    #expect(getError(long)?.kind == .invalidResponse)
    #expect(startError(long)?.message == "it is longer than 1048576 bytes")
    let refused = HTTPAnswer(status: 403, body: Data("words".utf8), isCut: true)
    #expect(startError(refused)?.kind == .unauthorized)
    #expect(startError(refused)?.message == nil)
  }

  @Test func `a redirect that was not followed is named`() {
    let answer = HTTPAnswer(status: 302, refusedRedirect: "https://elsewhere:443")
    #expect(startError(answer)?.kind == .unexpected)
    #expect(
      startError(answer)?.message
        == "it redirects to https://elsewhere:443, which is not followed")
  }
}
