import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

/// Names that stand for addresses of this machine: 127.0.0.1 is the ingest, at .2 nobody answers, and
/// at all others everybody is refused.
struct LocalNames {
  let server: ScriptedIngest
  let silent: SilentListener
  let ingest: Ingest

  init(_ script: IngestScript = IngestScript()) throws {
    server = try ScriptedIngest(script)
    silent = try SilentListener(on: "127.0.0.2", port: server.port)
    ingest = try Ingest("rtmp://some.name:\(server.port)/live/key")
  }

  func addresses(_ ends: [Int]) -> [SocketAddress] {
    ends.compactMap { SocketAddress("127.0.0.\($0)", port: server.port) }
  }

  /// A book whose resolver answers at once.
  func book(_ ends: Int...) -> AddressBook {
    let addresses = addresses(ends)
    return AddressBook { _, _ in .addresses(addresses) }
  }

  /// - Returns: The seconds that it took.
  @discardableResult
  func publish(_ book: AddressBook, budget: Double = 20) async throws -> Double {
    var options = RTMPConnection.Options()
    options.budget = budget
    let connection = RTMPConnection(to: ingest, options: options, resuming: nil, book: book)
    let began = MonotonicTime.now
    try await onThread("publish") { try connection.publish(ListFeed(syntheticTags())) { _ in } }
    return Double(MonotonicTime.now - began) / 1e9
  }

  func failure(_ book: AddressBook, budget: Double = 20) async throws -> RTMPError {
    let error = await #expect(throws: RTMPError.self) { try await publish(book, budget: budget) }
    return try #require(error)
  }
}

@Suite struct ConnectorTests {
  @Test func `a silent address costs a quarter of a second, not its share of the budget`()
    async throws
  {
    let names = try LocalNames()
    let seconds = try await names.publish(names.book(2, 1))
    #expect(seconds >= 0.25)
    #expect(seconds < 5)  // of 20: half of them were its share
    #expect(names.server.visits.count == 1)
  }

  @Test func `an address that refuses costs nothing, the ones behind it are tried`() async throws {
    let names = try LocalNames()
    let addresses = names.addresses(Array(3...150) + [1])
    // 148 staggers would be longer than the budget of 20 s.
    try await names.publish(AddressBook { _, _ in .addresses(addresses) })
    #expect(names.server.visits.count == 1)
  }

  @Test func `an answer that comes late still counts`() async throws {
    let names = try LocalNames()
    try await names.publish(names.book(1, 2, 2, 3))
    #expect(names.server.visits.count == 1)
  }

  @Test func `if all fail, each says what it answered`() async throws {
    let names = try LocalNames()
    let error = try await names.failure(names.book(3, 2, 4), budget: 1)
    #expect(
      error.reason
        == .unreachable(
          "127.0.0.3: Connection refused, 127.0.0.2: no answer, 127.0.0.4: Connection refused"))
  }

  @Test func `if all refuse, nobody waits for the budget`() async throws {
    let names = try LocalNames()
    let began = MonotonicTime.now
    let error = try await names.failure(names.book(3, 4), budget: 600)
    #expect(
      error.reason
        == .unreachable("127.0.0.3: Connection refused, 127.0.0.4: Connection refused"))
    #expect(MonotonicTime.now - began < .seconds(60))
  }

  @Test func `if nobody answers, the connection has timed out`() async throws {
    let names = try LocalNames()
    let error = try await names.failure(names.book(2), budget: 0.5)
    #expect(error.reason == .timedOut(.connecting, seconds: 0.5))
  }

  @Test func `closing in the middle of it returns at once, without an error`() async throws {
    let names = try LocalNames()
    var options = RTMPConnection.Options()
    options.budget = 600
    let connection = RTMPConnection(
      to: names.ingest, options: options, resuming: nil, book: names.book(2))
    let hasBegun = Watched(false)
    async let end: Void = onThread("publish") {
      try connection.publish(ListFeed([])) { _ in hasBegun.change { $0 = true } }
    }
    try await hasBegun.reach("the beginning") { $0 }
    connection.close()
    try await end
  }
}
