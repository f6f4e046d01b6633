import Foundation
import Support
import Testing

extension DeviceTests {
  /// Devices that deliver, and what they deliver is dead.
  @Suite struct DeadSources {
    private let ingest: ScriptedIngest
    private let small: SmallPublish

    init() throws { (ingest, small) = (try ScriptedIngest(), try SmallPublish()) }

    private struct Saying: Decodable {
      let event: String
      var colour: String?
      var reopens: Bool?
      var reason: String?
      var message: String?
    }

    private func start(video: String, audio: String) throws -> ChildProcess {
      let arguments = small.arguments(to: ingest.url(), "--events", "json").map {
        $0 == "test" ? video : $0 == "tone" ? audio : $0
      }
      return try Command.start(
        arguments + ["--frozen-after", "2", "--black-after", "2", "--silent-after", "3"])
    }

    private func says(_ event: String, _ command: ChildProcess) async throws -> Saying {
      let line = try await command.waitForLine(in: .output) {
        $0.contains(#""event":"\#(event)""#)
      }
      return try JSONDecoder().decode(Saying.self, from: Data(line.utf8))
    }

    /// Ends it.
    private func all(_ command: ChildProcess) async throws -> [Saying] {
      command.send(SIGTERM)
      let outcome = try await command.outcome()
      #expect(outcome.exitStatus == 0, "\(outcome)")
      return try outcome.standardOutput.split(separator: "\n").map {
        try JSONDecoder().decode(Saying.self, from: Data($0.utf8))
      }
    }

    @Test func `a camera that stands still in one colour is told of, and opened anew once`()
      async throws
    {
      try await DeviceLab.control(
        "test_pattern=0,osd_text_mode=0,horizontal_movement=5,brightness=128")
      let command = try start(video: DeviceLab.camera, audio: "silence")
      _ = try await says("statistics", command)
      try await DeviceLab.control("test_pattern=7,osd_text_mode=2,horizontal_movement=3")
      let frozen = try await says("pictureFrozen", command)
      #expect(frozen.reopens == true)
      let black = try await says("pictureBlack", command)
      #expect(black.colour?.hasPrefix("red (#") == true, "\(black)")
      try await DeviceLab.control("test_pattern=0,osd_text_mode=0,horizontal_movement=5")
      _ = try await says("pictureMoves", command)
      _ = try await says("pictureVaried", command)
      try await DeviceLab.control("horizontal_movement=3")
      let said = try await all(command)
      let turns = said.map(\.event).filter { $0.hasPrefix("picture") }
      #expect(turns.sorted() == ["pictureBlack", "pictureFrozen", "pictureMoves", "pictureVaried"])
    }

    @Test func `a microphone that its mixer keeps from hearing says what to do, until it is done`()
      async throws
    {
      let microphone = "alsa:hw:Dummy,0"
      try await DeviceLab.run("modprobe", "snd-dummy")
      try await DeviceLab.run("amixer", "-q", "-c", "Dummy", "sset", "Mic", "0%", "nocap")
      for mending in ["sset 'Mic' cap", "sset 'Mic' capture 75%", nil] {
        let command = try start(video: "test", audio: microphone)
        let silent = try await says("soundSilent", command)
        let said = try await all(command)
        let notices = said.compactMap(\.message).filter { $0.hasPrefix("\(microphone): ") }
        #expect(notices == (silent.reason.map { ["\(microphone): \($0)"] } ?? []))
        let named = silent.reason?.split(separator: "`").dropFirst().first.map { String($0) }
        #expect(named == mending.map { "amixer -c Dummy \($0)" })
        if let named { try await DeviceLab.run("sh", "-c", named) }
      }
      try await DeviceLab.run("modprobe", "-r", "snd-dummy")
    }
  }
}
