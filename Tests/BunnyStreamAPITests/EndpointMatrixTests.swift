import BunnyStreamAPI
import Foundation
import Support
import Synchronization
import Testing

/// A server whose next answers are set from outside.
private final class Answering: Sendable {
  private final class Next: Sendable { let reply = Mutex(HTTPReply.respond(200)) }

  let server: HTTPServer
  private let api: BunnyStreamAPI
  private let next: Next

  init() throws {
    let next = Next()
    self.next = next
    server = try HTTPServer { _ in next.reply.withLock { $0 } }
    api = try client(server)
  }

  /// What comes of a call that is answered so; nil for success.
  func error(_ endpoint: Endpoint, _ status: Int, _ body: [UInt8]) async -> BunnyLiveStreamError? {
    next.reply.withLock { $0 = .respond(status, bytes: status == 204 ? [] : body) }
    do throws(BunnyLiveStreamError) {
      try await endpoint.call(api)
      return nil
    } catch {
      return error
    }
  }
}

/// Every endpoint × every status that is documented for it × bodies that are documented, and that are not.
struct EndpointMatrixTests {
  /// Bodies of refusals, and the words that a person is shown of them.
  static let refusals: [(body: [UInt8], words: String?)] = [
    (Array("".utf8), nil), (Array(#""It cannot be.""#.utf8), "It cannot be."),
    (Array(#"{"success":false,"message":"No.","statusCode":400}"#.utf8), "No."),
    (
      Array(
        #"{"success":false,"message":"bad request","statusCode":400,"data":["dvrWindowSeconds is required"]}"#
          .utf8),
      "bad request: dvrWindowSeconds is required"
    ),
    (Array("<html><body>Bad gateway</body></html>".utf8), nil),
    (Array(#"{"message":"cut of"#.utf8), nil), (Array("plain words".utf8), "plain words"),
    ([0xFF, 0xFE, 0x00, 0x7B], "\u{FFFD}\u{FFFD}{"), (Array("null".utf8), nil),
  ]

  @Test(arguments: Endpoint.all)
  func `each status that is documented is its kind, whatever the body is`(
    _ endpoint: Endpoint
  ) async throws {
    let operation = try #require(Specification.operation(endpoint.operation))
    let server = try Answering()
    var count = 0
    for status in operation.statuses + [429] where status >= 300 {
      for refusal in Self.refusals {
        count += 1
        let error = await server.error(endpoint, status, refusal.body)
        if endpoint.operation == "LiveStream_List" && status == 404 {
          // Only Bunny's own words, or none, say that there is no stream.
          let json = try? JSONSerialization.jsonObject(with: Data(refusal.body))
          let isAnswer = refusal.body.isEmpty || json is [String: Any]
          #expect((error == nil) == isAnswer, "\(String(decoding: refusal.body, as: UTF8.self))")
          continue
        }
        #expect(error?.kind == .init(statusCode: status), "\(status)")
        #expect(error?.statusCode == status)
        #expect(error?.message == refusal.words, "\(status)")
        #expect(error?.attempt?.hasSuffix(" library 12") == true)
      }
    }
    #expect(server.server.requests.count == count)
  }

  /// Bodies of successes, and whether they are an object, a list, any JSON.
  static let bodies: [(body: [UInt8], isObject: Bool, isList: Bool, isJSON: Bool)] = [
    (Array("{}".utf8), true, false, true), (Array("[]".utf8), false, true, true),
    (
      Array(#"{"surprise":{"items":7},"items":null,"guid":[],"status":"4"}"#.utf8), true, false,
      true
    ),
    (Array("[null, 7, {}]".utf8), false, true, true), (Array("null".utf8), false, false, true),
    (Array("7".utf8), false, false, true), (Array(#""text""#.utf8), false, false, true),
    (Array("".utf8), false, false, true), (Array("<html>".utf8), false, false, false),
    (Array(#"{"guid":"g""#.utf8), false, false, false), ([0xFF, 0x00], false, false, false),
    (Array("{}{}".utf8), false, false, false),
    (Array(#"{"items":[{"guid":"g"},null,"x",[]],"totalItems":"many"}"#.utf8), true, false, true),
  ]

  @Test(arguments: Endpoint.all)
  func `a success is read, or is no answer, and nothing crashes`(_ endpoint: Endpoint) async throws
  {
    let server = try Answering()
    for status in [200, 201, 206] {
      for (body, isObject, isList, isJSON) in Self.bodies {
        let isAnswer =
          switch endpoint.answer {
          case .object: isObject
          case .list: isList
          case .nothing: isJSON
          case .bytes: true
          }
        let error = await server.error(endpoint, status, body)
        let shown = String(decoding: body, as: UTF8.self)
        #expect((error == nil) == isAnswer, "\(status) \(shown)")
        if let error { #expect(error.kind == .invalidResponse && error.statusCode == status) }
      }
    }
    let empty = await server.error(endpoint, 204, [])
    let needsBody = endpoint.answer == .object || endpoint.answer == .list
    #expect(empty?.kind == (needsBody ? .invalidResponse : nil))
  }

  @Test(arguments: Endpoint.all)
  func `success false inside a 200 is a failure of its own status`(
    _ endpoint: Endpoint
  ) async throws {
    let server = try Answering()
    for (status, kind) in [
      (400, BunnyLiveStreamError.Kind.invalidRequest), (401, .unauthorized), (404, .notFound),
      (422, .unprocessable), (500, .server),
    ] {
      let body = #"{"success":false,"message":"No.","statusCode":\#(status)}"#
      let error = await server.error(endpoint, 200, Array(body.utf8))
      #expect(error?.kind == kind && error?.statusCode == status && error?.message == "No.")
    }
  }
}
