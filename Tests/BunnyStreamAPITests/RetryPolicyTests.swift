import BunnyStreamAPI
import Foundation
import Testing

struct RetryPolicyTests {
  typealias Failure = BunnyRetryPolicy.Failure

  private static let reads = BunnyRetryPolicy.standard
  private static let repeatable = BunnyRetryPolicy(.repeatable)
  private static let all = BunnyRetryPolicy(.all)

  private func retries(_ policy: BunnyRetryPolicy, _ failure: Failure) -> Bool {
    policy.pause(after: failure, sent: 1, chance: 0) != nil
  }

  @Test func `pauses double, with chance, and end with the tries`() {
    let policy = BunnyRetryPolicy(
      .reads, tries: 6, firstPause: .milliseconds(200), longestPause: .seconds(1))
    let failure = Failure(.read, .server, statusCode: 503)
    func pauses(_ chance: Double) -> [Duration?] {
      (1...6).map { policy.pause(after: failure, sent: $0, chance: chance) }
    }
    #expect(
      pauses(0) == [
        .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(500),
        .milliseconds(500), nil,
      ])
    #expect(
      pauses(1) == [
        .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1), .seconds(1), nil,
      ])
    #expect(pauses(0.5)[0] == .milliseconds(150))
  }

  @Test func `the standard is reads, three times`() {
    #expect(Self.reads == BunnyRetryPolicy(.reads, tries: 3))
    let failure = Failure(.read, .transport)
    #expect(Self.reads.pause(after: failure, sent: 2, chance: 0) == .milliseconds(250))
    #expect(Self.reads.pause(after: failure, sent: 3, chance: 0) == nil)
    #expect(!retries(.never, failure))
  }

  @Test func `many tries do not overflow`() {
    let policy = BunnyRetryPolicy(.reads, tries: .max)
    let pause = policy.pause(after: Failure(.read, .server), sent: 1_000_000, chance: 1)
    #expect(pause == .seconds(10))
  }

  @Test func `which calls are tried again is as asked`() {
    for (repetition, policies) in [
      (RESTRepetition.read, [Self.reads, Self.repeatable, Self.all]),
      (.same, [Self.repeatable, Self.all]), (.once, []),
    ] {
      for policy in [BunnyRetryPolicy.never, Self.reads, Self.repeatable, Self.all] {
        let failure = Failure(repetition, .server, statusCode: 500)
        #expect(retries(policy, failure) == policies.contains(policy), "\(repetition) \(policy)")
      }
    }
  }

  @Test func `what must not be done twice is tried again only when it was not done`() {
    var failure = Failure(.once, .transport)
    #expect(!retries(Self.all, failure))
    failure.mayBeDone = false
    #expect(retries(Self.all, failure))
    #expect(!retries(Self.repeatable, failure) && !retries(Self.reads, failure))
    #expect(retries(Self.all, Failure(.once, .unexpected, statusCode: 429)))
    #expect(retries(Self.all, Failure(.once, .unexpected, statusCode: 408)))
    for status in [500, 502, 503, 504] {
      #expect(!retries(Self.all, Failure(.once, .server, statusCode: status)))
    }
  }

  @Test(arguments: [
    (408, true), (429, true), (500, true), (502, true), (503, true), (504, true), (501, false),
    (505, false), (400, false), (401, false), (403, false), (404, false), (410, false),
    (422, false), (409, false), (418, false), (301, false),
  ])
  func `only what a pause may mend is tried again`(_ status: Int, _ isTried: Bool) {
    let failure = Failure(.read, .init(statusCode: status), statusCode: status)
    #expect(retries(Self.reads, failure) == isTried)
  }

  @Test func `neither a cancelled call nor an answer that cannot be read is tried again`() {
    var failure = Failure(.read, .transport)
    failure.isCancelled = true
    #expect(!retries(Self.reads, failure))
    #expect(!retries(Self.reads, Failure(.read, .invalidResponse, statusCode: 200)))
  }

  @Test func `a server that wants to be left alone is, for ten seconds at most`() {
    var failure = Failure(.read, .server, statusCode: 503)
    failure.retryAfter = .seconds(4)
    #expect(Self.reads.pause(after: failure, sent: 1, chance: 0) == .seconds(4))
    #expect(Self.reads.pause(after: failure, sent: 1, chance: 1) == .milliseconds(4125))
    failure.retryAfter = .milliseconds(10)
    #expect(Self.reads.pause(after: failure, sent: 1, chance: 0) == .milliseconds(125))
    failure.retryAfter = .seconds(10)
    #expect(Self.reads.pause(after: failure, sent: 1, chance: 0) == .seconds(10))
    failure.retryAfter = .seconds(11)
    #expect(Self.reads.pause(after: failure, sent: 1, chance: 0) == nil)
  }

  private static let date = "Wed, 01 Jul 2026 08:20:00 GMT"

  @Test(
    arguments: [
      ("0", nil, 0), ("5", nil, 5), (" 120 ", nil, 120), ("99999999999999999999", nil, nil),
      ("5000000000", nil, 4_294_967_296), ("-5", nil, nil), ("1.5", nil, nil), ("", nil, nil),
      ("soon", nil, nil), (date, nil, 0), ("Wed, 01 Jul 2026 08:20:07 GMT", nil, 7),
      ("Wednesday, 01-Jul-26 08:21:00 GMT", nil, 60), ("Wed Jul  1 08:20:30 2026", nil, 30),
      ("Wed, 01 Jul 2026 08:00:00 GMT", nil, 0),
      // The server's own clock counts, where it tells it.
      ("Wed, 01 Jul 2026 08:20:07 GMT", "Wed, 01 Jul 2026 08:20:05 GMT", 2),
      ("Wed, 01 Jul 2026 08:20:07 GMT", "nonsense", 7), ("3", date, 3),
    ] as [(String, String?, Int?)])
  func `Retry-After is seconds or a date`(_ text: String, _ date: String?, _ seconds: Int?) {
    let pause = RetryAfter(text, date: date).pause(now: now)
    #expect(pause == seconds.map { .seconds($0) })
  }
}
