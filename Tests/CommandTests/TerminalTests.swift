import BunnyInspect
import Foundation
import Support
import Testing

/// The real process on a terminal.
struct TerminalTests {
  private let small: SmallPublish

  init() throws { small = try SmallPublish() }

  private func isRaw(_ command: ChildProcess) -> Bool {
    command.terminalModes.c_lflag & tcflag_t(ICANON | ECHO) == 0
  }

  private func isUsual(_ command: ChildProcess) -> Bool {
    command.terminalModes.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
  }

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `the status line is redrawn in place, m mutes, q ends`() async throws {
    let nginx = try await NginxIngest()
    let command = try Command.startOnTerminal(small.arguments(to: nginx.url()))
    try await command.waitForOutput(in: .output) { $0.contains("\rlive 00:00:02  rtmp://") }
    #expect(isRaw(command))
    command.write("m")
    try await command.waitForOutput(in: .output) { $0.contains("\rlive 00:00:07  muted  rtmp://") }
    command.write("m")
    try await command.waitForOutput(in: .output) { $0.contains("\rlive 00:00:09  rtmp://") }
    command.write("q")
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(isUsual(command))

    let shown = outcome.standardOutput
    let address = "rtmp://127.0.0.1:\(nginx.port)/live/•••"
    let status =
      #/\rlive 00:00:0\d  (?:muted  )?(\S+)  \d+\.\d fps  \d+ kbit/s  queue \d+ ms  drops 0/#
    let lines = shown.matches(of: status)
    // Measured from the beginning, before the first three seconds are over.
    let early = try #require(shown.firstMatch(of: #/live 00:00:02 .*? (\d+)\.\d fps  (\d+) kbit/#))
    #expect((8...18).contains(Int(early.output.1) ?? 0) && Int(early.output.2) ?? 0 > 50)
    #expect(lines.count > 5 && lines.allSatisfy { $0.output.1 == address })
    #expect(shown.contains("  [q end, m mute]\u{1B}[K\r"), "redrawn without a line break")
    #expect(shown.contains("  [q end, m unmute]\u{1B}[K"))
    #expect(!shown.contains(" 0.0 fps  0 kbit/s  queue 0 ms  drops 0  [q end, m unmute]"))
    #expect(shown.contains(" info muted\r\n") && shown.contains(" info unmuted\r\n"))
    #expect(shown.contains(" info ending: q was pressed\r\n"))
    #expect(shown.split(separator: "\r\n").dropLast().last?.contains(" info ended (q was") == true)
    #expect(shown.hasSuffix("\r\u{1B}[K"), "the status line is taken away")

    let recording = try #require(try await nginx.recordings().first)
    let inspection = try await Command.run(["inspect", "--json", recording])
    #expect(inspection.exitStatus == 0, "\(inspection)")
    let report = try JSONDecoder().decode(Report.self, from: Data(inspection.standardOutput.utf8))
    let silence = try #require(report.audio?.silent.max { $0.length < $1.length })
    #expect((3...7).contains(silence.length), "\(silence)")
    #expect(report.audio?.gaps == 0)
  }

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `c goes on to the next camera, and the session knows nothing of it`() async throws {
    let nginx = try await NginxIngest()
    let clip = try Clip(frames: 60).make(in: small.folder)
    let command = try Command.startOnTerminal(
      small.arguments(to: nginx.url(), "--video", "file:\(clip)"))
    try await command.waitForOutput(in: .output) { $0.contains("  [q end, m mute, c camera]") }
    try await command.waitForOutput(in: .output) { $0.contains(" info live at ") }
    command.write("c")
    let next = " info the picture comes from file:\(clip) now\r\n"
    try await command.waitForOutput(in: .output) { $0.contains(next) }
    command.write("c")
    let first = " info the picture comes from test now\r\n"
    try await command.waitForOutput(in: .output) { $0.contains(first) }
    command.write("q")
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0 && outcome.standardOutput.contains("1 connection,"))
  }

  @Test func `Ctrl-C ends with 0 and leaves the terminal as it was`() async throws {
    let ingest = try ScriptedIngest()
    let command = try Command.startOnTerminal(small.arguments(to: ingest.url()))
    try await command.waitForOutput(in: .output) { $0.contains("\rlive 00:00:0") }
    command.write("\u{3}")
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardOutput.contains("ended (SIGINT)"))
    #expect(isUsual(command))
  }

  @Test func `a crash leaves the terminal as it was`() async throws {
    let ingest = try ScriptedIngest()
    let command = try Command.startOnTerminal(
      small.arguments(to: ingest.url()), ["TERM": "xterm", "BUNNY_BROADCAST_FAULT": "trap"])
    let outcome = try await command.outcome()
    #expect(outcome.signal != nil, "\(outcome)")
    #expect(isUsual(command))
  }

  @Test(arguments: [
    (["TERM": "xterm"], true, true), (["TERM": "xterm", "NO_COLOR": "1"], false, true),
    (["TERM": "dumb"], false, false), ([:], false, false),
  ])
  func `colours and escapes are for those who want them`(
    _ variables: [String: String], _ hasColours: Bool, _ hasEscapes: Bool
  ) async throws {
    let ingest = try ScriptedIngest(IngestScript(.close, at: .tags(60)))
    let command = try Command.startOnTerminal(
      small.arguments(to: ingest.url(), "--retry", "never"), variables)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 69, "\(outcome)")
    let shown = outcome.standardOutput
    #expect(shown.contains("\u{1B}[31merror\u{1B}[0m ") == hasColours, "\(shown)")
    #expect(shown.contains("\u{1B}[3") == hasColours)
    #expect(shown.contains("\u{1B}") == hasEscapes)
    #expect(shown.contains(" 00:00:00  rtmp://") == hasEscapes)
  }
}
