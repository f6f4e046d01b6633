import BunnyStreamAPI
import Foundation
import Testing

/// The message that a refused start gets from this body.
private func message(_ body: Data, hiding secrets: [String] = [accessKey]) -> String? {
  let answer = HTTPAnswer(status: 400, body: body)
  let call = RESTCall<Void>.startLiveStream("guid", in: 12)
  switch call.answer(from: answer, TextCleaner(hiding: secrets)) {
  case .success: return "no failure"
  case .failure(let error): return error.message
  }
}

struct ServerWordsTests {
  @Test(
    arguments: [
      (
        #"{"success":false,"message":"bad request","statusCode":400,"data":["dvrWindowSeconds is required"]}"#,
        "bad request: dvrWindowSeconds is required"
      ),
      (#"{"message":"bad request","data":["one","two"]}"#, "bad request: one; two"),
      (#"{"message":"bad request","data":null}"#, "bad request"),
      (#"{"message":"bad request","data":["bad request"]}"#, "bad request"),
      (#"{"message":null,"data":["one",null,7,"two"]}"#, "one; two"),
      (#"{"Message":"Authorization has been denied"}"#, "Authorization has been denied"),
      (#""a plain string""#, "a plain string"),
      (#"["one","two"]"#, "one; two"),
      ("plain text", "plain text"),
      ("  two\r\n  lines\t\n", "two lines"),
    ])
  func `the server's own words are found`(_ body: String, _ words: String) {
    #expect(message(Data(body.utf8)) == words)
  }

  @Test(arguments: [
    "", " \n", "{}", #"{"statusCode":400}"#, #"{"message":""}"#, #"{"message":7}"#, "null", "7",
    "[]", #"" ""#, "<html><body>502 Bad Gateway</body></html>", " <?xml version=\"1.0\"?>",
    #"{"message":"cut of"#, "[1,", "\u{1B}\u{7}\u{0}",
  ])
  func `a body that tells a person nothing gives no message`(_ body: String) {
    #expect(message(Data(body.utf8)) == nil)
  }

  @Test func `control and formatting characters are left out`() {
    #expect(message(Data("a\u{1B}[31mb\u{0}c\u{202E}d\u{200B}e\u{7F}".utf8)) == "a[31mbcde")
    #expect(message(Data(#""a\u0007b\nc""#.utf8)) == "ab c")
  }

  @Test func `at most 4096 bytes are kept, and no character is cut in two`() {
    #expect(message(Data(String(repeating: "x", count: 5000).utf8))?.utf8.count == 4096)
    let accents = message(Data(("x" + String(repeating: "é", count: 5000)).utf8))
    #expect(accents?.utf8.count == 4095)
    #expect(accents?.last == "é")
  }

  @Test func `bytes that are no text are shown as such`() {
    #expect(message(Data([0x61, 0xFF, 0x62])) == "a\u{FFFD}b")
  }

  @Test(arguments: [
    "your key \(accessKey) is wrong", "\"your key \(accessKey) is wrong\"",
    "{\"message\":\"your key \(accessKey) is wrong\"}",
    "{\"data\":[\"your key \(accessKey) is wrong\"]}", "your key access-ca\u{0}nary-1234 is wrong",
    "your key access-ca\u{200B}nary-1234 is wrong",
  ])
  func `a key that is echoed is hidden`(_ body: String) {
    #expect(message(Data(body.utf8)) == "your key ••• is wrong")
  }

  @Test func `a key that is made by putting parts together is hidden`() {
    let words = message(Data(#"{"message":"access","data":["key"]}"#.utf8), hiding: ["access: key"])
    #expect(words == "•••")
  }

  @Test func `the longest of two secrets is hidden first`() {
    #expect(message(Data("abcdef".utf8), hiding: ["abc", "abcdef", ""]) == "•••")
  }
}
