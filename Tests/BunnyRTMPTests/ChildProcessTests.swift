import BunnySystem
import Foundation
import Support
import Testing

@Suite struct ChildProcessTests {
  @Test func `what a developer's shell has set for the command reaches no test`() {
    let shell = [
      "PATH": "/bin", "TERM": "xterm", "NO_COLOR": "1", "BUNNY_ACCESS_KEY": "k",
      "BUNNY_API_URL": "u", "BUNNY_BROADCAST_FAULT": "trap", "CREDENTIALS_DIRECTORY": "/run/c",
      "STATE_DIRECTORY": "/s",
      "http_proxy": "p", "https_proxy": "p", "all_proxy": "p", "no_proxy": "p",
      "HTTP_PROXY": "p", "HTTPS_PROXY": "p", "ALL_PROXY": "p", "NO_PROXY": "p",
    ]
    #expect(Command.environment(from: shell) == ["PATH": "/bin"])
    let more = ["BUNNY_LIBRARY_ID": "7", "no_proxy": "*"]
    #expect(
      Command.environment(more, from: shell)
        == ["PATH": "/bin", "BUNNY_LIBRARY_ID": "7", "no_proxy": "*"])
  }

  @Test func `each start of the command has a folder of its own to remember in, gone with it`()
    async throws
  {
    let script = #"echo "$XDG_STATE_HOME"; echo x >"$XDG_STATE_HOME/memory""#
    var children = try [
      Command.startInShell(script, [], ["HOME": "/nowhere"]),
      Command.startOnTerminal([], script: script),
    ]
    var folders: [String] = []
    for child in children {
      let text = try await child.outcome().standardOutput
      folders.append(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    #expect(Set(folders).count == 2)
    for folder in folders {
      #expect(folder.hasPrefix(NSTemporaryDirectory() + "state-"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["memory"])
    }
    children = []
    #expect(folders.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
  }

  @Test func `a command's output, status and cost are told`() async throws {
    let outcome = try await ChildProcess.run("sh", ["-c", "echo out; echo err >&2; exit 3"])
    #expect(outcome.exitStatus == 3 && outcome.signal == nil)
    #expect(outcome.standardOutput == "out\n" && outcome.standardError == "err\n")
    #expect(outcome.peakMemory > 100_000)
  }

  @Test func `lines can be waited for while it runs, and it can be ended by a signal`() async throws
  {
    let child = try ChildProcess(
      "sh", ["-c", "echo ready; read line; echo \"got $line\"; read x"], takesInput: true)
    let ready = try await child.waitForLine(in: .output) { $0 == "ready" }
    #expect(ready == "ready")
    child.write("tea\n")
    #expect(try await child.waitForLine(in: .output) { $0.hasPrefix("got") } == "got tea")
    child.send(SIGTERM)
    let outcome = try await child.outcome()
    #expect(outcome.signal == SIGTERM && outcome.exitStatus == nil)
  }

  @Test func `waiting for a line ends with the output`() async throws {
    let child = try ChildProcess("true")
    await #expect(throws: WaitedInVain.self) { _ = try await child.waitForLine { _ in true } }
  }

  @Test func `environment and directory are those given`() async throws {
    let outcome = try await ChildProcess.run(
      "/bin/sh", ["-c", "pwd; echo $BUNNY"], environment: ["BUNNY": "hops"], workingDirectory: "/")
    #expect(outcome.standardOutput == "/\nhops\n")
  }

  @Test func `a command that is not there cannot be started`() {
    #expect(throws: SpawnFailure.self) { try ChildProcess("/no/such/command") }
  }

  @Test func `letting go of a child ends it`() async throws {
    var child: ChildProcess? = try ChildProcess("sleep", ["600"])
    let processID = try #require(child?.processID)
    child = nil
    let patience = MonotonicTime.now + .seconds(20)
    while kill(processID, 0) == 0 {
      try #require(MonotonicTime.now < patience)
      await Task.yield()
    }
  }
}
