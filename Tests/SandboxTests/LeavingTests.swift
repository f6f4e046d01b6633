import Foundation
import Support
import Testing

/// How a sandbox ends, and what is left then.
@Suite(.serialized, .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LeavingTests {
  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a signal ends it and both ingests, frozen or not`(signal: Int32) async throws {
    let sandbox = try await SandboxProcess.start()
    kill(sandbox.facts.backupPid, SIGSTOP)
    let outcome = try await sandbox.end(signal)
    #expect(outcome.exitStatus == 0)
    #expect(!runs(sandbox.facts.primaryPid) && !runs(sandbox.facts.backupPid))
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary.path) == [])
  }

  @Test func `it works below a folder of any name`() async throws {
    let temporary = try TemporaryDirectory(named: #"a "b" \c; d"#)
    let sandbox = try await SandboxProcess.start(temporary: temporary)
    let outcome = try await sandbox.end()
    #expect(outcome.exitStatus == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test func `with --until-eof it ends when its input does`() async throws {
    let temporary = try TemporaryDirectory()
    let outcome = try await SandboxProcess.launch(["--until-eof"], temporary).outcome()
    #expect(outcome.exitStatus == 0 && outcome.standardOutput.hasPrefix("{"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test func `killed, it takes the ingests along, and the next one tidies up`() async throws {
    let sandbox = try await SandboxProcess.start()
    let outcome = try await sandbox.end(SIGKILL)  // its log ends only when the ingests have
    #expect(outcome.signal == SIGKILL)
    for processID in [sandbox.facts.primaryPid, sandbox.facts.backupPid] {
      // `tail` ends when that process has.
      _ = try await ChildProcess.run("tail", ["--pid=\(processID)", "-f", "/dev/null"], atMost: 10)
    }
    #expect(!runs(sandbox.facts.primaryPid) && !runs(sandbox.facts.backupPid))
    let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary.path)
    #expect(left.count == 1)
    let next = try await SandboxProcess.start(temporary: sandbox.temporary)
    try await next.end()
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.temporary.path) == [])
  }

  @Test func `a killed ingest stays dead until it is told to come back`() async throws {
    let sandbox = try await SandboxProcess.start()
    kill(sandbox.facts.primaryPid, SIGKILL)
    try await sandbox.logs("the primary ingest is dead")
    #expect(!runs(sandbox.facts.primaryPid) && runs(sandbox.facts.backupPid))
    let answer = try await sandbox.http("POST", "/sandbox/restart/primary")
    let processID = try #require(answer["pid"] as? Int)
    #expect(runs(Int32(processID)) && Int32(processID) != sandbox.facts.primaryPid)
    kill(sandbox.facts.backupPid, SIGSTOP)
    let second = try await sandbox.http("POST", "/sandbox/restart/backup")
    #expect(second.status == 200 && !runs(sandbox.facts.backupPid))
    #expect(try await sandbox.http("POST", "/sandbox/restart/third").status == 400)
    try await sandbox.end()
    #expect(!runs(Int32(processID)))
  }

  @Test func `a restart just after, or just before, the ingest is killed brings it back`()
    async throws
  {
    let sandbox = try await SandboxProcess.start()
    var processID = sandbox.facts.primaryPid
    for round in 0..<20 {
      // In turn: dead and not yet reaped when it is asked for, and killed in the midst of that.
      if round.isMultiple(of: 2) { kill(processID, SIGKILL) }
      async let answer = sandbox.http("POST", "/sandbox/restart/primary")
      if !round.isMultiple(of: 2) { kill(processID, SIGKILL) }
      let restarted = try await answer
      #expect(restarted.status == 200, "round \(round): \(restarted.text)")
      let next = try #require(restarted["pid"] as? Int)
      #expect(runs(Int32(next)) && next != processID, "round \(round)")
      processID = Int32(next)
    }
    try await sandbox.end()
  }

  @Test(arguments: ["--port", "--primary-port", "--backup-port"])
  func `a port that is taken is named with the option that chooses another`(
    option: String
  ) async throws {
    let listener = try Loopback.listen(port: 0)
    defer { close(listener) }
    let port = try Loopback.port(of: listener)
    let temporary = try TemporaryDirectory()
    let outcome = try await SandboxProcess.launch([option, "\(port)"], temporary).outcome()
    #expect(outcome.exitStatus == 69)
    #expect(outcome.standardError.contains("port \(port) of 127.0.0.1 cannot be served"))
    #expect(outcome.standardError.contains("choose another \(option)"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test func `a folder that cannot be written is named`() async throws {
    let temporary = try TemporaryDirectory()
    let outcome = try await SandboxProcess.launch(["--keep", "/proc/x"], temporary).outcome()
    #expect(outcome.exitStatus == 73)
    #expect(outcome.standardError.contains("/proc/x cannot be written"))
  }

  @Test func `the help is no wider than a terminal`() async throws {
    let outcome = try await SandboxProcess.launch(["--help"], TemporaryDirectory()).outcome()
    #expect(outcome.exitStatus == 0)
    let lines = outcome.standardOutput.split(separator: "\n")
    #expect(lines.count > 20 && lines.allSatisfy { $0.count <= 80 })
  }
}
