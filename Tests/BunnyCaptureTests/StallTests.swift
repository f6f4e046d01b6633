import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

/// Addresses that stop delivering.
struct StallTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func clip() throws -> String {
    var clip = Clip(frames: 60)
    clip.toneDelay = nil
    return try clip.make(in: folder, "clip.ts")
  }

  @Test func `an address that stalls is lost, and is opened again when asked again`() throws {
    let server = try ByteServer(sending: clip(), thenStaying: true)
    let reader = try LoopingReader(
      server.address(), name: "it", wanting: [.video], stallLimit: .milliseconds(500))
    for visit in 1...2 {
      var pictures = 0
      #expect(throws: SourceError.lost("it", reason: "nothing came for 0.5 s")) {
        while true {
          if case .packet = try reader.next(.video) { pictures += 1 }
        }
      }
      #expect((50...60).contains(pictures))
      #expect(server.progress.current.connections == visit)
    }
  }

  @Test func `what comes after a stall is due when it comes`() throws {
    let server = try ByteServer(sending: clip(), thenStaying: true)
    let reader = try LoopingReader(
      server.address(), name: "it", wanting: [.video], stallLimit: .milliseconds(500))
    #expect(throws: SourceError.self) { while true { _ = try reader.next(.video) } }
    let asked = MonotonicTime.now
    var dues: [MonotonicTime] = []
    while dues.isEmpty {
      guard case .packet(let packet, let zero, _) = try reader.next(.video) else { continue }
      dues.append(zero + (try #require(packet.timebase.nanoseconds(packet.pts))))
    }
    #expect(dues[0] >= asked && dues[0] - MonotonicTime.now < .milliseconds(500))
  }

  @Test func `cancelling ends a wait for an address`() async throws {
    let server = try ByteServer(sending: clip(), thenStaying: true)
    let reader = try LoopingReader(
      server.address(), name: "it", wanting: [.video], stallLimit: .seconds(60))
    let read = Watched(0)
    let isCancelled = Watched(false)
    startThread("reader") {
      while case .packet? = try? reader.next(.video) { read.change { $0 += 1 } }
      if case .cancelled? = try? reader.next(.video) { isCancelled.change { $0 = true } }
    }
    try await read.reach("50 pictures") { $0 >= 50 }
    reader.cancel()
    try await isCancelled.reach("the end", atMost: 10) { $0 }
  }

  @Test func `an address that hangs while it is opened can be left`() async throws {
    let server = try ByteServer(Data(), thenStaying: true)
    let interrupter = Interrupter()
    let isLeft = Watched(false)
    startThread("opener") {
      do {
        _ = try OpenSources(
          video: .file(server.address()), audio: .silence, width: 64, height: 64,
          frameRate: Timebase(25, 1), interrupter: interrupter, notice: { _ in })
      } catch { isLeft.change { $0 = true } }
    }
    try await server.progress.reach("a visitor") { $0.connections == 1 }
    interrupter.interrupt()
    try await isLeft.reach("the end", atMost: 8) { $0 }  // it would give up after 10 s
  }

  @Test func `an address that says nothing is given up while it is opened`() throws {
    let server = try ByteServer(Data(), thenStaying: true)
    var context = SourceContext()
    context.stallLimit = .milliseconds(300)
    let error = SourceError.unreadable(server.address(), reason: "nothing came for 0.3 s")
    #expect(throws: error) { try MediaFile(server.address(), video: true, audio: true, context) }
  }
}
