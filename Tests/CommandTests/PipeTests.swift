import BunnyInspect
import Foundation
import Support
import Testing

/// The real process, and the program whose picture it broadcasts.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct PipeTests {
  private let small: SmallPublish
  private let nginx: NginxIngest

  init() async throws { (small, nginx) = (try SmallPublish(), try await NginxIngest()) }

  private func arguments(_ source: String, _ more: String...) -> [String] {
    small.arguments(to: nginx.url(), "--events", "json").map { $0 == "test" ? source : $0 } + more
  }

  private static let input = ["-v", "error", "-y", "-re", "-f", "lavfi", "-i"]
  private static let coding = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-g", "15"]

  private func writer(_ path: String) throws -> ChildProcess {
    try ChildProcess(
      "ffmpeg", Self.input + ["testsrc=size=320x180:rate=15"] + Self.coding + ["-f", "h264", path])
  }

  private func says(_ event: String, _ command: ChildProcess) async throws {
    _ = try await command.waitForLine(in: .output) { $0.contains(#""event":"\#(event)""#) }
  }

  /// One connection, rising times, a keyframe each second; lost and back in turn.
  private func expectNothingSeen(_ outcome: ChildProcess.Outcome) async throws {
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let log = try EventLog(outcome.standardOutput)
    let turns = log.names.filter { $0.hasPrefix("camera") }
    for (index, turn) in turns.enumerated() {  // on a busy machine a writer may stall by itself
      #expect(turn == (index % 2 == 0 ? "cameraLost" : "cameraBack"))
    }
    #expect(turns.count >= 2 && turns.count % 2 == 0)
    #expect(log.all("ended").first?.connections == 1)
    #expect(log.all("ended").first?.droppedFrames == 0)
    let video = try #require(try inspect(try await nginx.recordings()[0]).video)
    #expect(video.packets.dtsNotRising == 0 && video.decodeErrors == 0)
    #expect(video.keyframeFrames.allSatisfy { $0 == 15 }, "\(video.keyframeFrames)")
  }

  @Test func `a FIFO whose writer is killed is back when another one writes`() async throws {
    let fifo = small.folder.file("camera")
    let command = try Command.start(arguments("pipe:\(fifo)"))
    try await says("cameraLost", command)  // made, and nobody writes to it
    let first = try writer(fifo)
    try await says("cameraBack", command)
    try await command.saysAgain("statistics") {}
    try await command.saysAgain("cameraLost") { first.send(SIGKILL) }
    let second = try writer(fifo)
    try await command.saysAgain("cameraBack") {}
    try await command.saysAgain("statistics") {}
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    second.send(SIGKILL)
    try await expectNothingSeen(outcome)
    let reasons = try EventLog(outcome.standardOutput).all("cameraLost").map(\.reason)
    #expect(
      reasons.contains(
        "pipe:\(fifo) was closed by the program that wrote to it; start that again"))
  }

  @Test func `a writer that stalls is lost, and back when it goes on`() async throws {
    let fifo = small.folder.file("camera")
    let command = try Command.start(arguments("pipe:\(fifo)"))
    try await says("cameraLost", command)
    let writer = try writer(fifo)
    try await says("cameraBack", command)
    try await command.saysAgain("statistics") {}
    try await command.saysAgain("cameraLost") { writer.send(SIGSTOP) }
    try await command.saysAgain("cameraBack") { writer.send(SIGCONT) }
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    writer.send(SIGKILL)
    try await expectNothingSeen(outcome)
    #expect(outcome.standardOutput.contains("delivered nothing for "))
  }

  @Test func `standard input that ends ends the broadcast, with 66`() async throws {
    let script = """
      ffmpeg \(Self.input.joined(separator: " ")) testsrc=size=320x180:rate=15:duration=2 \
        \(Self.coding.joined(separator: " ")) -f h264 - | "$0" "$@"
      """
    let outcome = try await Command.startInShell(script, arguments("pipe:")).outcome()
    #expect(outcome.exitStatus == 66, "\(outcome)")
    let why =
      "standard input is over, and cannot be opened again; start both programs again, or use a FIFO"
    let log = try EventLog(outcome.standardOutput)
    #expect(!log.all("cameraLost").isEmpty)
    #expect(log.all("ended").map(\.reason) == [why])
    #expect(outcome.standardError.contains(why))
    let video = try #require(try inspect(try await nginx.recordings()[0]).video)
    #expect(video.frames >= 20 && video.decodeErrors == 0, "\(video.frames)")
  }

  @Test func `raw frames on standard input are broadcast`() async throws {
    let script = """
      ffmpeg \(Self.input.joined(separator: " ")) testsrc=size=320x180:rate=15 \
        -pix_fmt yuyv422 -f rawvideo - | "$0" "$@"
      """
    let raw = arguments(
      "pipe:", "--camera-format", "YUYV", "--camera-size", "320x180", "--camera-fps", "15",
      "--duration", "3")
    let outcome = try await Command.startInShell(script, raw).outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let end = try #require(try EventLog(outcome.standardOutput).all("ended").first)
    #expect(end.encodedFrames == 45 && end.capturedFrames ?? 0 >= 20, "\(end)")
  }

  @Test func `a keyboard is no picture`() async throws {
    let command = try Command.startOnTerminal(arguments("pipe:"))
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 64, "\(outcome)")
    #expect(
      outcome.standardOutput.contains(
        "standard input is a terminal; pipe a program's pictures into it, or give pipe:PATH"))
  }
}
