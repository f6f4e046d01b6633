import BunnyRTMP
import Foundation
import Support
import Testing

private let reconnects = ProcessInfo.processInfo.environment["BUNNY_SOAK_RECONNECTS"]
  .flatMap(Int.init)

/// Alone in its process, whose descriptors and memory it looks at; `scripts/soak` runs it.
@Suite(.enabled(if: reconnects != nil, "scripts/soak runs it"))
struct ReconnectSoakTests {
  @Test func `thousands of connections leave no descriptor, thread or memory behind`() async throws
  {
    let count = try #require(reconnects)
    func publish(_ times: Int) async throws {
      for _ in 0..<times {
        let ingest = try ScriptedIngest()
        try await Support.publish(ListFeed(syntheticTags(frames: 2)), to: ingest.ingest())
        ingest.close()
      }
    }
    try await publish(200)
    let before = try ProcessFootprint()
    try await publish(count)
    let after = try ProcessFootprint()
    print("\(before), after \(count) more connections \(after)")
    #expect(after.descriptors <= before.descriptors + 4 && after.threads <= before.threads + 4)
    #expect(after.kilobytes - before.kilobytes < 8192)
  }
}
