import BunnySystem
import Foundation
import Support
import Testing

/// What a line leaves behind: nothing.
@Suite(.serialized, .enabled(if: Line.isAvailable, "\(Line.need)"))
struct LineTracesTests {
  @Test func `a command started in the near network sees only the line`() async throws {
    let line = try await Line()
    let child = try await line.inNear { try ChildProcess("cat", ["/proc/net/dev"]) }
    let devices = try await child.outcome().standardOutput.matches(of: /(\S+):/).map { $0.1 }
    #expect(devices == ["lo", "line"])
    let own = try await ChildProcess.run("cat", ["/proc/net/dev"]).standardOutput
    #expect(!own.contains("line:"))
  }

  @Test func `both networks are gone with the line`() async throws {
    let before = namedNetworks
    var line: Line? = try await Line(.roundTrip(20))
    let names = try #require(line.map { [$0.near.kernelName, $0.far.kernelName] })
    #expect(names[0] != names[1] && names.allSatisfy(isInUse))
    line = nil
    try await expectGone(names)
    #expect(namedNetworks == before)
  }

  @Test func `both networks are gone with a process that was killed`() async throws {
    let before = namedNetworks
    let result = try #require(
      await #expect(
        processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
      ) {
        let line = try await Line()
        print("\(line.near.kernelName)\n\(line.far.kernelName)")
        fflush(nil)
        kill(getpid(), SIGKILL)
      })
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    let names = output.matches(of: /net:\[\d+\]/).map { String($0.0) }
    #expect(names.count == 2)
    try await expectGone(names)
    #expect(namedNetworks == before)
  }

  private var namedNetworks: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/var/run/netns").sorted()) ?? []
  }

  /// Waits until nothing on this machine holds the networks, neither a thread nor a descriptor.
  private func expectGone(_ names: [String]) async throws {
    let patience = MonotonicTime.now + .seconds(20)
    while names.contains(where: isInUse) {
      try #require(MonotonicTime.now < patience, "\(names)")
      await Task.yield()
    }
  }
}

private func isInUse(_ network: String) -> Bool {
  contents("/proc").filter { Int($0) != nil }.contains { process in
    contents("/proc/\(process)/fd").contains { target("/proc/\(process)/fd/\($0)") == network }
      || contents("/proc/\(process)/task").contains {
        target("/proc/\(process)/task/\($0)/ns/net") == network
      }
  }
}

private func contents(_ path: String) -> [String] {
  (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
}

private func target(_ link: String) -> String? {
  try? FileManager.default.destinationOfSymbolicLink(atPath: link)
}
