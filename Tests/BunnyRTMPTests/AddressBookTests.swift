import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct AddressBookTests {
  @Test(arguments: [true, false])
  func `a name that was found once is reached when it cannot be looked up`(
    isStalling: Bool
  ) async throws {
    let names = try LocalNames()
    let resolver = ScriptedResolver(.answer(names.addresses([3, 1])))
    let book = resolver.book
    try await names.publish(book)
    #expect(book.addresses(of: names.ingest).map(\.description) == ["127.0.0.1", "127.0.0.3"])
    resolver.behaviour.change { $0 = isStalling ? .stall : .fail }
    let seconds = try await names.publish(book)
    #expect(seconds < 10)  // of 20
    #expect(resolver.questions.current == 2)
    #expect(names.server.visits.count == 2)
  }

  @Test func `what the resolver says late is tried beside what was remembered`() async throws {
    let names = try LocalNames()
    let resolver = ScriptedResolver(.answerAfter(seconds: 1.5, names.addresses([1])))
    let book = resolver.book
    book.note(names.addresses([2, 3]), of: names.ingest)
    try await names.publish(book)
    #expect(names.server.visits.count == 1)
    #expect(
      book.addresses(of: names.ingest).map(\.description)
        == ["127.0.0.1", "127.0.0.2", "127.0.0.3"])
  }

  @Test func `a resolver that does not answer is said to`() async throws {
    let names = try LocalNames()
    let stalling = ScriptedResolver(.stall)
    let error = try await names.failure(stalling.book, budget: 0.5)
    #expect(error.reason == .timedOut(.resolving, seconds: 0.5))
    let failing = ScriptedResolver(.fail)
    #expect(
      try await names.failure(failing.book).reason
        == .unknownHost("Temporary failure in name resolution"))
  }

  @Test func `remembered addresses that are no good any more are reported with the resolver`()
    async throws
  {
    let names = try LocalNames()
    let failing = ScriptedResolver(.fail)
    let book = failing.book
    book.note(names.addresses([3]), of: names.ingest)
    #expect(
      try await names.failure(book).reason
        == .unreachable(
          "127.0.0.3: Connection refused, looking up the name: Temporary failure in name resolution"
        ))
    failing.behaviour.change { $0 = .stall }
    #expect(
      try await names.failure(book, budget: 1).reason
        == .unreachable("127.0.0.3: Connection refused, looking up the name: no answer"))
  }

  @Test func `a server that speaks no RTMP is not remembered`() async throws {
    let names = try LocalNames(IngestScript(.close, at: .accept))
    let book = names.book(1)
    _ = try await names.failure(book)
    #expect(book.addresses(of: names.ingest).isEmpty)
  }

  @Test func `a resolver that never answers holds a few threads, however often it is asked`()
    async throws
  {
    let names = try LocalNames()
    let resolver = ScriptedResolver(.stall)
    let book = resolver.book
    for _ in 0..<(AddressBook.mostQuestions + 3) {
      #expect(
        try await names.failure(book, budget: 0.1).reason == .timedOut(.resolving, seconds: 0.1))
    }
    try await resolver.questions.reach("all questions") { $0 == AddressBook.mostQuestions }
  }

  @Test func `names do not mix, and only so much is remembered`() throws {
    let book = AddressBook()
    let (one, other) = (try Ingest("rtmp://one/live/key"), try Ingest("rtmp://other/live/key"))
    for number in 1...40 {
      book.note([try #require(SocketAddress("10.0.0.\(number)", port: 1935))], of: one)
    }
    #expect(book.addresses(of: one).count == AddressBook.longestEntry)
    #expect(book.addresses(of: one).first?.description == "10.0.0.40")
    #expect(book.addresses(of: other).isEmpty)
    #expect(book.addresses(of: try Ingest("rtmp://one:1936/live/key")).isEmpty)
    #expect(!book.addresses(of: try Ingest("rtmp://one/else/key2")).isEmpty)
  }
}
