import BunnyInspect
import Foundation
import Support
import Testing

/// The command at one end of a bad line, nginx-rtmp at the other.
@Suite(
  .serialized, .enabled(if: Line.isAvailable, "\(Line.need)"),
  .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct LinePublishTests {
  @Test(arguments: [Line.Far.first, .second])
  func `over a line of 80 ms there and back the recording is whole`(far: Line.Far) async throws {
    let line = try await Line(.roundTrip(80))
    let nginx = try await NginxIngest(at: far, of: line)
    let small = try SmallPublish()
    let arguments = small.arguments(to: nginx.url(), "--duration", "6")
    let publisher = try await line.inNear { try Command.start(arguments) }
    let outcome = try await publisher.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let report = try inspect(try await nginx.recordings()[0])
    let test = try #require(report.testPicture)
    #expect(test.framesRead == 90 && test.lost == 0 && test.shownTwice == 0)
    #expect(report.audio?.gaps == 0 && report.problems == [])
    #expect(line.counters(for: far).there.packets > 100 && line.counters().there.dropped == 0)
  }
}
