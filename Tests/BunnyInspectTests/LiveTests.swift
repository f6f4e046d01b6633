import BunnyInspect
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

struct LiveTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func `a live stream's delay counts from when a frame was made`() throws {
    var clip = Clip(frames: 30)
    clip.toneDelay = nil
    let made = Double(Clip.epoch)
    let server = try ByteServer(sending: try clip.make(in: folder, "clip.ts"))
    let before = Date.now.timeIntervalSince1970 * 1000
    let report = try inspect(server.address())
    let after = Date.now.timeIntervalSince1970 * 1000
    #expect(report.isLive && report.readError == nil)
    let delay = try #require(report.testPicture?.delay)
    #expect(delay.max >= before - made - 1 && delay.max <= after - made + 1)
    // The frames were made in a second, and read in much less.
    #expect(delay.max - delay.min > 900 - (after - before))
    #expect(delay.min <= delay.median && delay.median <= delay.max)
  }

  @Test func `a stream that stalls is reported as far as it came`() throws {
    var clip = Clip(frames: 60)
    clip.toneDelay = nil
    let path = try clip.make(in: folder, "clip.ts")
    let server = try ByteServer(sending: path, thenStaying: true)
    let report = try inspect(server.address(), stallLimit: .milliseconds(300))
    #expect(report.readError == "nothing came for 0.3 s")
    #expect(report.problems.first == "Reading stopped early: nothing came for 0.3 s.")
    #expect(try #require(report.testPicture).framesRead > 50)
  }

  @Test func `an address that says nothing is given up, and at once when asked to`() throws {
    let silent = folder.file("nothing")
    try Data().write(to: URL(filePath: silent))
    let server = try ByteServer(sending: silent, thenStaying: true)
    let words = "nothing came for 0.3 s"
    #expect(throws: InspectError.unreadable(server.address(), reason: words)) {
      try inspect(server.address(), stallLimit: .milliseconds(300))
    }
    let interrupter = Interrupter()
    interrupter.interrupt()
    let start = MonotonicTime.now
    let other = try ByteServer(sending: silent, thenStaying: true)
    #expect(throws: InspectError.self) { try inspect(other.address(), interrupter: interrupter) }
    #expect(MonotonicTime.now - start < .seconds(5))  // it would stall for 10
  }

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `an RTMP stream is read in real time, as far as asked`() async throws {
    let ingest = try await NginxIngest()
    let path = try Clip(frames: 180).make(in: folder, "clip.flv")
    let publisher = try ChildProcess(
      "ffmpeg", ["-v", "error", "-re", "-i", path, "-c", "copy", "-f", "flv", ingest.url()])
    defer { publisher.send(SIGKILL) }
    let address = ingest.url()
    let report = try await onThread("inspect") { try inspect(address, secondsLimit: 2) }
    #expect(report.isLive && report.readError == nil && report.problems == [])
    #expect(report.source.hasSuffix("/live/•••"))
    let test = try #require(report.testPicture)
    #expect((55...62).contains(test.framesRead) && test.lost == 0)
    // However long ago they were made: all of them by the same time.
    let delay = try #require(test.delay)
    #expect(delay.max - delay.min < 1500)
  }
}
