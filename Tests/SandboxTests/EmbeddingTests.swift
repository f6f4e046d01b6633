import BunnyInspect
import Foundation
import Support
import Testing

/// The program in `Tests/Embedding`, which is the README's example.
struct EmbeddingTests {
  /// As `scripts/test` builds it.
  private static let program =
    "\(#filePath)".split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    + "/.build/embedding/debug/embedding"
  private static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program) }

  @Test(.enabled(if: isBuilt && NginxIngest.isAvailable, "scripts/test builds it; needs nginx"))
  func `a program that embeds the library broadcasts what it draws, and ends its stream`()
    async throws
  {
    let sandbox = try await SandboxProcess.start("--ready-after", "0")
    let facts = sandbox.facts
    let state = try TemporaryDirectory(named: "state")
    let outcome = try await ChildProcess.run(
      Self.program, [],
      environment: Command.environment([
        "BUNNY_ACCESS_KEY": facts.accessKey, "BUNNY_LIBRARY_ID": "\(facts.libraryId)",
        "BUNNY_API_URL": facts.apiUrl, "BUNNY_STREAM_ID": facts.streamId,
        "XDG_STATE_HOME": state.path,
      ]))
    #expect(outcome.exitStatus == 0, "\(outcome)")
    for words in [
      "running: viewers see the stream", "live at rtmp://", "ended the stream for good",
    ] {
      #expect(outcome.standardOutput.contains(words), "\(outcome)")
    }
    #expect(!outcome.standardOutput.contains(facts.streamKey))
    let lock = state.file("bunny-broadcast/streams/\(facts.streamId).lock")
    #expect(FileManager.default.fileExists(atPath: lock), "nobody has to ask for it")
    let calls = try await sandbox.calls().filter { !$0.hasPrefix("status") }
    #expect(calls.first == "get 200" && calls.count { $0 == "start 200" } == 1, "\(calls)")
    #expect(calls.count { $0.hasPrefix("stop") } == 1, "\(calls)")
    let report = try inspect(facts.recording)
    let video = try #require(report.video)
    #expect(video.frames >= 4 * 30 && video.decodeErrors == 0 && report.audio?.gaps == 0)
    #expect(video.frozen.isEmpty && video.black.isEmpty)
    try await sandbox.end()
  }
}
