import Foundation
import Support
import Testing

/// A live broadcast at a terminal: only an answer ends the stream.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LiveTerminalTests {
  private static let interrupt = "\u{3}"

  @Test(arguments: [("q", "y: end it for good", "y"), (interrupt, "e: end it", "e")])
  func `an answer ends the stream for good`(
    _ key: String, _ question: String, _ answer: String
  ) async throws {
    let live = try await LiveSandbox()
    let command = try await live.startOnTerminal()
    command.write(key)
    try await command.shows(question)
    #expect(try await live.stops() == [], "asked first")
    command.write(answer)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardOutput.contains(" info ended the stream for good\r\n"))
    #expect(try await live.stops() == ["stop 200"])
    try await live.end()
  }

  @Test(arguments: [interrupt, "l"])
  func `Ctrl-C twice, or Ctrl-C and l, leaves the stream`(_ answer: String) async throws {
    let live = try await LiveSandbox()
    let command = try await live.startOnTerminal()
    command.write(Self.interrupt)
    try await command.shows("l: leave it running")
    command.write(answer)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardOutput.contains(" info left the stream as it is (asked to leave): "))
    #expect(try await live.status() == "running")
    #expect(try await live.stops() == [])
    try await live.expectResumes()
    try await live.end()
  }

  @Test(arguments: [(interrupt, "g: go on", "g"), ("q", "n: go on", "n")])
  func `an answer goes on`(_ key: String, _ question: String, _ answer: String) async throws {
    let live = try await LiveSandbox()
    let command = try await live.startOnTerminal()
    command.write(key)
    try await command.shows(question)
    command.write(answer)
    try await command.shows(" info going on\r\n")
    command.write("m")
    try await command.shows(" info muted\r\n")
    #expect(command.isRunning)
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(try await live.status() == "running")
    #expect(try await live.stops() == [])
    try await live.end()
  }

  @Test func `Ctrl-C that nobody answers leaves the stream`() async throws {
    let live = try await LiveSandbox()
    let command = try await live.startOnTerminal()
    command.write(Self.interrupt)
    try await command.shows("l: leave it running (in 10 s)")
    let outcome = try await command.outcome(atMost: 20)
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(try await live.status() == "running")
    #expect(try await live.stops() == [])
    try await live.end()
  }
}
