import BunnyStreamAPI
import Support
import Testing

/// Every way in which a value may end up in a text.
private func allTexts(_ value: some Sendable) -> String {
  var dumped = ""
  dump(value, to: &dumped)
  let mirrored = Mirror(reflecting: value).children.map { child in
    "\(child.value) \(String(reflecting: child.value)) "
      + Mirror(reflecting: child.value).children.map { "\($0.value)" }.joined()
  }
  return ["\(value)", String(describing: value), String(reflecting: value), dumped]
    .joined(separator: "\n") + mirrored.joined()
}

struct SecretTests {
  @Test func `an access key prints as dots`() {
    let key = BunnyAccessKey(accessKey)
    #expect("\(key)" == "•••")
    #expect(String(reflecting: key) == "•••")
    #expect("\([key])" == "[•••]")
    #expect(!allTexts(key).contains("canary"))
    #expect(!allTexts(Optional(key)).contains("canary"))
    #expect(!allTexts(["key": key]).contains("canary"))
  }

  @Test func `an API shows no key`() {
    let api = BunnyStreamAPI(accessKey: accessKey)
    #expect(!allTexts(api).contains("canary"))
    #expect(!allTexts(api.liveStreams).contains("canary"))
  }

  @Test func `a stream shows no stream key, and still has it`() {
    let output = BunnyRtmpOutput(endpoint: "rtmp://e/a", streamKey: "output-canary")
    let stream = BunnyLiveStream(id: "g", streamKey: streamKey, rtmpOutputs: [output])
    #expect(stream.streamKey == streamKey)
    #expect(output.streamKey == "output-canary")
    for text in [
      allTexts(stream), allTexts([stream]), allTexts(output), allTexts(Optional(stream)),
    ] {
      #expect(!text.contains("canary"))
      #expect(text.contains("•••"))
    }
    #expect(stream != BunnyLiveStream(id: "g", streamKey: "another", rtmpOutputs: [output]))
  }

  @Test func `spaces around an access key are left out`() async throws {
    let server = try HTTPServer { _ in .respond(200) }
    let url = try BunnyAPIBaseURL(server.url, allowingClearText: true)
    let api = BunnyStreamAPI(accessKey: " key\r\n", baseURL: url)
    try await api.liveStreams.startLiveStream(libraryId: 1, streamId: "g")
    #expect(server.requests.first?.headers["accesskey"] == "key")
  }

  @Test(arguments: [
    ("", "is empty"), (" \n", "is empty"),
    ("a b", "holds a space, a line break or another character that no key has"),
    ("a\r\nX-Evil: 1", "holds a space, a line break or another character that no key has"),
    ("clé", "holds a space, a line break or another character that no key has"),
  ])
  func `a key that cannot be one is refused unsent`(_ text: String, _ problem: String) async throws
  {
    #expect(BunnyAccessKey(text).problem == problem)
    let server = try HTTPServer { _ in .respond(200) }
    let url = try BunnyAPIBaseURL(server.url, allowingClearText: true)
    let api = BunnyStreamAPI(accessKey: text, baseURL: url)
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api.liveStreams.startLiveStream(libraryId: 1, streamId: "g")
    }
    #expect(error?.kind == .unauthorized)
    #expect(error?.statusCode == nil)
    #expect(error?.message == "it \(problem)")
    #expect(server.requests.isEmpty)
  }

  @Test func `a good key has no problem`() {
    #expect(BunnyAccessKey("0a1b2c3d-4e5f-6789").problem == nil)
  }

  @Test func `keys that a server echoes are in no error`() async throws {
    let server = try HTTPServer { request in
      request.method == "GET"
        ? .respond(
          200, #"{"guid":"g","streamKey":"\#(streamKey)","rtmpOutputs":[{"streamKey":"o-canary"}]}"#
        )
        : .respond(400, #"{"message":"\#(accessKey) \#(streamKey) o-canary"}"#)
    }
    let api = try api(server)
    #expect(try await api.getLiveStream(libraryId: 1, streamId: "g").streamKey == streamKey)
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api.stopLiveStream(libraryId: 1, streamId: "g")
    }
    let failure = try #require(error)
    #expect(failure.message == "••• ••• •••")
    #expect(!allTexts(failure).contains("canary"))
  }

  @Test func `a key given for a stream's id is in no error`() async throws {
    let server = try HTTPServer { _ in .respond(404) }
    let error = await #expect(throws: BunnyLiveStreamError.self) {
      try await api(server).getLiveStream(libraryId: 1, streamId: accessKey)
    }
    #expect(error?.attempt == "get the live stream ••• of library 1")
  }
}
