import BunnyInspect
import Foundation
import Support
import Testing

struct ReportTests {
  @Test func `the text fits a terminal and says what was measured`() throws {
    let folder = try TemporaryDirectory()
    var clip = Clip(frames: 0)
    clip.shots = .test(0..<60) + .test(70..<190)
    let report = try inspect(try clip.make(in: folder, "a clip with a name of some length.mkv"))
    let text = report.text
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.contains("/tmp") })
    for part in [
      "h264", "640x360, 30.00 fps", "180 read (0 to 189), 10 lost", "every 60 frames, 2.00 s",
      "aac LC", "48000 Hz, 1 channel", "10 test frames lost.", "any 5 s:",
    ] { #expect(text.contains(part), "\(part)") }
  }

  @Test func `the JSON reads back as the same report`() throws {
    let folder = try TemporaryDirectory()
    let report = try inspect(try Clip(frames: 45).make(in: folder))
    let json = report.json
    #expect(try JSONDecoder().decode(Report.self, from: Data(json.utf8)) == report)
    let fields = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(fields["version"] as? Int == 1)
    #expect((fields["video"] as? [String: Any])?["codec"] as? String == "h264")
    #expect((fields["problems"] as? [Any])?.isEmpty == true)
  }
}
