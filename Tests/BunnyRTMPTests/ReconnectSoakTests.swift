import BunnyRTMP
import Foundation
import Support
import Testing

private let reconnects = ProcessInfo.processInfo.environment["BUNNY_SOAK_RECONNECTS"]
  .flatMap(Int.init)

/// Alone in its process, whose descriptors and memory it looks at; `scripts/soak` runs it.
@Suite(.enabled(if: reconnects != nil, "scripts/soak runs it"))
struct ReconnectSoakTests {
  private var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  private var threads: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }

  /// Kilobytes.
  private var memory: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return status.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Int($0.1) } ?? 0
  }

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
    let before = (descriptors, threads, memory)
    try await publish(count)
    let after = (descriptors, threads, memory)
    print("descriptors, threads, kB: \(before), after \(count) more connections \(after)")
    #expect(after.0 <= before.0 + 4 && after.1 <= before.1 + 4)
    #expect(after.2 - before.2 < 8192)
  }
}
