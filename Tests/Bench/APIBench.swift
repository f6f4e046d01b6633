import BunnyStreamAPI
import BunnySystem
import CBunnyCurl
import Foundation
import Support

/// What a call of Bunny's API costs beyond the round trip that libcurl alone needs for the same, and what a
/// client costs that only polls: `scripts/bench api`.
struct APIBench {
  let trials: Int
  /// Of polling, and of nothing to compare it with.
  let seconds: Int

  func run(into results: inout Results) async throws {
    let server = try HTTPServer { request in
      switch request.path {
      case let path where path.hasSuffix("/status"): .respond(200, APIAnswers.status)
      case let path where path.hasPrefix("\(APIAnswers.streams)?"): .respond(200, APIAnswers.page)
      default: .respond(200, APIAnswers.stream)
      }
    }
    let api = try Self.client(server.url)
    var rows: [SpreadRow] = []
    for (name, path, call) in Self.calls {
      rows += try await self.rows(name, server.url + path) { try await call(api) }
    }
    results.add(rows)
    results.add(try await PollingCost(seconds: seconds).rows(server.url), in: "percent of a core")
  }

  /// Our client, as a broadcast has it.
  static func client(_ url: String) throws -> DefaultLiveStreamRepository {
    BunnyStreamAPI(accessKey: "key", baseURL: try BunnyAPIBaseURL(url), retry: .never).liveStreams
  }

  private typealias Call = @Sendable (DefaultLiveStreamRepository) async throws -> Void
  private static let calls: [(String, path: String, Call)] = [
    (
      "status", "\(APIAnswers.streams)/g/status",
      { _ = try await $0.ingestStatus(libraryId: 12, streamId: "g") }
    ),
    (
      "stream", "\(APIAnswers.streams)/g",
      { _ = try await $0.getLiveStream(libraryId: 12, streamId: "g") }
    ),
    (
      "100 streams", "\(APIAnswers.streams)?page=1&itemsPerPage=100",
      { _ = try await $0.listLiveStreams(libraryId: 12, page: 1, itemsPerPage: 100) }
    ),
  ]

  /// The two in turns, and by how much each pair differs.
  private func rows(
    _ name: String, _ url: String, _ call: () async throws -> Void
  ) async throws -> [SpreadRow] {
    let peer = try PlainCurl(url)
    var (ours, peers): ([Double], [Double]) = ([], [])
    // The first of each connects.
    try peer.get()
    try await call()
    for trial in 0..<trials {
      if trial.isMultiple(of: 2) { peers.append(try await Self.milliseconds { try peer.get() }) }
      ours.append(try await Self.milliseconds(call))
      if !trial.isMultiple(of: 2) { peers.append(try await Self.milliseconds { try peer.get() }) }
    }
    return [
      SpreadRow("\(name), our client", ours), SpreadRow("\(name), libcurl alone", peers),
      SpreadRow("\(name), the difference", zip(ours, peers).map { $0 - $1 }, goal: (1, nil)),
    ]
  }

  private static func milliseconds(_ call: () async throws -> Void) async rethrows -> Double {
    let began = MonotonicTime.now
    try await call()
    return Double(MonotonicTime.now - began) / 1e6
  }
}

/// The peer: a plain handle of libcurl's that is used again, and what it reads is thrown away.
private final class PlainCurl {
  private let curl: UnsafeMutableRawPointer
  private var headers: UnsafeMutablePointer<curl_slist>?

  init(_ url: String) throws {
    guard bunny_curl_begin() == CURLE_OK, let curl = curl_easy_init() else {
      throw BenchFailure(69, "libcurl does not begin")
    }
    self.curl = curl
    for line in ["AccessKey: key", "Accept: application/json"] {
      headers = curl_slist_append(headers, line)
    }
    let take: bunny_curl_reader = { _, size, count, _ in size * count }
    let codes = [
      bunny_curl_set_text(curl, CURLOPT_URL, url), bunny_curl_set_headers(curl, headers),
      bunny_curl_set_number(curl, CURLOPT_NOSIGNAL, 1),
      bunny_curl_set_callbacks(curl, take, take, { _, _, _, _, _ in 0 }, nil),
    ]
    guard codes.allSatisfy({ $0 == CURLE_OK }) else {
      throw BenchFailure(69, "libcurl refuses its settings")
    }
  }

  deinit {
    curl_easy_cleanup(curl)
    curl_slist_free_all(headers)
  }

  func get() throws {
    let code = curl_easy_perform(curl)
    guard code == CURLE_OK, bunny_curl_status(curl) == 200 else {
      throw BenchFailure(70, "libcurl alone: \(String(cString: curl_easy_strerror(code)))")
    }
  }
}
