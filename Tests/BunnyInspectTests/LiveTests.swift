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
    let server = try Server(sending: try clip.make(in: folder, "clip.ts"))
    let before = Date.now.timeIntervalSince1970 * 1000
    let report = try inspect(server.address)
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
    let server = try Server(sending: path, thenStaying: true)
    let report = try inspect(server.address, stallLimit: .milliseconds(300))
    #expect(report.readError == "nothing came for 0.3 s")
    #expect(report.problems.first == "Reading stopped early: nothing came for 0.3 s.")
    #expect(try #require(report.testPicture).framesRead > 50)
  }

  @Test func `an address that says nothing is given up, and at once when asked to`() throws {
    let silent = folder.file("nothing")
    try Data().write(to: URL(filePath: silent))
    let server = try Server(sending: silent, thenStaying: true)
    let words = "nothing came for 0.3 s"
    #expect(throws: InspectError.unreadable(server.address, reason: words)) {
      try inspect(server.address, stallLimit: .milliseconds(300))
    }
    let interrupter = Interrupter()
    interrupter.interrupt()
    let start = MonotonicTime.now
    let other = try Server(sending: silent, thenStaying: true)
    #expect(throws: InspectError.self) { try inspect(other.address, interrupter: interrupter) }
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

/// Sends a file to whoever connects first.
private final class Server {
  let address: String
  private let listener: Int32
  private let done = WakeEvent()

  /// - Parameter thenStaying: keeps the connection open until this object goes.
  init(sending path: String, thenStaying: Bool = false) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &place) { place in
      let place = place.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      precondition(bind(listener, place, size) == 0 && listen(listener, 1) == 0)
      getsockname(listener, place, &size)
    }
    address = "tcp://127.0.0.1:\(UInt16(bigEndian: place.sin_port))"
    startThread("test-server") { [done] in
      let connection = accept(listener, nil, nil)
      data.withUnsafeBytes { bytes in
        var sent = 0
        while sent < bytes.count {
          let count = send(
            connection, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
          guard count > 0 else { break }
          sent += count
        }
      }
      if thenStaying { done.wait(until: .now + .seconds(60)) }
      close(connection)
    }
  }

  deinit {
    done.signal()
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }
}
