import BunnyStreamAPI
import Testing

/// What becomes of a base URL without a proxy.
private func read(
  _ text: String, allowingClearText: Bool = false, environment: [String: String] = [:]
) throws(BunnyAPIBaseURLError) -> String {
  try BunnyAPIBaseURL(text, allowingClearText: allowingClearText, environment: environment)
    .description
}

struct BaseURLTests {
  @Test func `Bunny's own is the default`() throws {
    #expect(BunnyAPIBaseURL.bunny.description == "https://video.bunnycdn.com")
    #expect(try BunnyAPIBaseURL("https://video.bunnycdn.com/") == .bunny)
  }

  @Test(arguments: [
    ("https://api.example", "https://api.example"), ("HTTPS://API.example/", "https://api.example"),
    ("https://api.example:443", "https://api.example"),
    ("https://10.0.0.1:8443", "https://10.0.0.1:8443"),
    ("https://api.example/a/b//", "https://api.example/a/b"),
    ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ("http://127.255.0.3", "http://127.255.0.3"),
    ("http://localhost:80", "http://localhost"), ("http://[::1]:9", "http://[::1]:9"),
  ])
  func `https anywhere and http on this machine are taken`(_ text: String, _ url: String) throws {
    #expect(try read(text) == url)
  }

  @Test(arguments: [
    ("http://api.example", "api.example"), ("http://10.0.0.1", "10.0.0.1"),
    ("http://127.0.0.1.example", "127.0.0.1.example"), ("http://0.0.0.0", "0.0.0.0"),
    ("http://localhost.example", "localhost.example"), ("http://127.1", "127.1"),
    ("http://127.0.0.01", "127.0.0.01"), ("http://127.0.0.256", "127.0.0.256"),
    ("http://[::ffff:127.0.0.1]", "::ffff:127.0.0.1"), ("http://2130706433", "2130706433"),
  ])
  func `http to any other host is refused unless allowed`(_ text: String, _ host: String) throws {
    #expect(throws: BunnyAPIBaseURLError.clearText(host: host)) { try read(text) }
    #expect(try read(text, allowingClearText: true) == text)
  }

  @Test(
    arguments: [
      ("", .notHTTP), ("video.bunnycdn.com", .notHTTP), ("ftp://h", .notHTTP), ("//h", .notHTTP),
      ("rtmp://h/live", .notHTTP), ("https:", .host), ("https://", .host), ("https:///x", .host),
      ("https://user@h", .extras), ("https://user:secret@h", .extras), ("https://h?q", .extras),
      ("https://h/#f", .extras), ("http://127.0.0.1@evil.example", .extras),
      ("https://h:0", .port), ("https://h:65536", .port),
      ("https://a%2Eb", .host), ("https://hôte.example", .host),
    ] as [(String, BunnyAPIBaseURLError)])
  func `what is no plain URL is refused`(_ text: String, _ error: BunnyAPIBaseURLError) {
    #expect(throws: error) { try read(text) }
  }

  @Test(arguments: [
    "https://h:x", "https://a b", "http://127.0.0.1\\@evil.example", "https://h\r\nX: y",
    "https://[::1", "https://a:b:c",
  ])
  func `what parsers read differently is refused`(_ text: String) {
    #expect(throws: BunnyAPIBaseURLError.self) { try read(text) }
  }

  @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
  func `a proxy would see the key of http, so it is refused`(_ variable: String) throws {
    let environment = [variable: "http://proxy:3128"]
    #expect(throws: BunnyAPIBaseURLError.proxied(host: "127.0.0.1", variable: variable)) {
      try read("http://127.0.0.1:8080", environment: environment)
    }
    #expect(try read("https://api.example", environment: environment) == "https://api.example")
    #expect(
      try read("http://127.0.0.1", allowingClearText: true, environment: environment)
        == "http://127.0.0.1")
  }

  @Test(arguments: ["127.0.0.1", "*", "example.com,127.0.0.1", "localhost, 127.0.0.1"])
  func `an exception for this machine lets http pass`(_ exceptions: String) throws {
    for variable in ["no_proxy", "NO_PROXY"] {
      let environment = ["http_proxy": "http://proxy:3128", variable: exceptions]
      #expect(try read("http://127.0.0.1", environment: environment) == "http://127.0.0.1")
    }
  }

  @Test(arguments: ["foo,*", "*,foo", " *", "**", "127.0.0.10", "foo"])
  func `what libcurl takes for no exception is none`(_ exceptions: String) {
    let environment = ["http_proxy": "http://proxy:3128", "no_proxy": exceptions]
    #expect(throws: BunnyAPIBaseURLError.proxied(host: "127.0.0.1", variable: "http_proxy")) {
      try read("http://127.0.0.1", environment: environment)
    }
  }

  @Test func `an empty variable is no proxy`() throws {
    #expect(try read("http://127.0.0.1", environment: ["http_proxy": ""]) == "http://127.0.0.1")
  }

  @Test(arguments: [
    (
      BunnyAPIBaseURLError.clearText(host: "api.example"),
      "the API URL would send the access key to api.example in the clear; "
        + "write https://api.example (http:// is for this machine: 127.0.0.1)"
    ),
    (
      .notHTTP,
      "the API URL is not one of https; write https://HOST, as in https://video.bunnycdn.com"
    ),
    (
      .extras,
      "the API URL holds a user, a password, a query or a fragment; write https://HOST"
    ),
    (
      .host,
      "the API URL's host cannot be read; write a name in ASCII, or an address (IPv6 in brackets)"
    ),
    (.port, "the API URL's port is not a number from 1 to 65535"),
    (
      .proxied(host: "127.0.0.1", variable: "http_proxy"),
      "http_proxy in the environment would send the access key for 127.0.0.1 to a proxy, "
        + "in the clear; set no_proxy=127.0.0.1"
    ),
  ])
  func `each refusal says what to write instead`(_ error: BunnyAPIBaseURLError, _ text: String) {
    #expect(error.description == text)
  }
}
