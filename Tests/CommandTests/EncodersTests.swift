import BunnyBroadcast
import BunnyCommand
import BunnyMedia
import BunnyRTMP
import Foundation
import Support
import Testing

struct EncodersTests {
  @Test func `encoders tells what works and what each effort costs`() async throws {
    let small = try SmallPublish()
    let file = small.folder.file("small.json")
    let table = try await Command.run(["encoders", "--quality", file])
    #expect(table.exitStatus == 0, "\(table)")
    #expect(table.standardOutput.contains("libx264       works\n"))
    let reason = EncodingHardware.refusal(of: "h264_vaapi")
    #expect(table.standardOutput.contains("h264_vaapi    no: \(reason)"))
    let outcome = try await Command.run(["encoders", "--json", "--quality", file])
    let list = try JSONDecoder().decode(List.self, from: Data(outcome.standardOutput.utf8))
    #expect(list.encoders.map(\.name) == ["libx264", "h264_v4l2m2m", "h264_vaapi"])
    #expect(list.encoders.map(\.works) == [true, false, false])
    #expect(list.costs.count == 7 && list.costs.allSatisfy { $0.pictureMs > 0 })
    #expect(list.costs.allSatisfy { $0.leavesAThird == ($0.share <= list.processors * 2 / 3) })
  }

  private struct List: Decodable {
    struct Encoder: Decodable {
      let name: String
      let works: Bool
    }
    struct Cost: Decodable {
      let pictureMs: Double
      let share: Double
      let leavesAThird: Bool
    }
    let processors: Double
    let encoders: [Encoder]
    let costs: [Cost]
  }

  @Test func `a quality that is not there is refused`() async throws {
    let outcome = try await Command.run(["encoders", "--quality", "/nowhere/x.json"])
    #expect(outcome.exitStatus == ExitCode.noInput.rawValue)
  }

  @Test(arguments: ["h264_v4l2m2m", "h264_vaapi"])
  func `an encoder that was asked for and does not work is replaced, with the reason`(
    name: String
  ) async throws {
    let small = try SmallPublish()
    let ingest = try ScriptedIngest()
    defer { ingest.close() }
    let outcome = try await Command.run(
      small.arguments(
        to: ingest.url(), "--encoder", name, "--duration", "1", "--events", "json"))
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let reason = EncodingHardware.refusal(of: name)
    let sentence = "--encoder \(name) does not work here: \(reason)"
    #expect(outcome.standardError.contains(sentence))
    let notices = try EventLog(outcome.standardOutput).all("notice")
    #expect(notices.count { $0.message?.hasPrefix(sentence) ?? false } == 1)
    #expect(try await ingest.visit().tags.count { $0.kind == .video } > 10)
  }

  @Test func `a quality that an encoder does not open is a row that says so`() {
    var quality = BroadcastQuality.sd480
    quality.resolution = .custom(width: 320, height: 180)
    let survey = EncoderSurvey([("small", quality)]) { kind, _ in
      kind == .v4l2m2m ? "it is not there" : nil
    }
    let lines = EncoderList.text(survey).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  small           libx264       best  ") })
    let reason = EncodingHardware.refusal(of: "h264_vaapi")
    let start = "  small           h264_vaapi              no: \(reason)"
    #expect(lines.contains { $0.hasPrefix(start) })
    #expect(EncoderList.json(survey).contains("\"problem\": \"\(reason)"))
  }
}
