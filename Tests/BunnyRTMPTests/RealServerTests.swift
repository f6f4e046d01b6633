import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Synchronization
import Testing

/// Timelines that start at zero, and just below each place where 24, 31 or 32 bits run over.
private let timelines: [Int64] = [0, 1 << 24, 1 << 31, 1 << 32].map { max(0, $0 - 1500) }

private func media(_ kind: RTMPTag.Kind, in tags: [RTMPTag]) -> [RTMPTag] {
  tags.filter { $0.kind == kind && !$0.isSequenceHeader && $0.body.count > 5 }
}

private func steps(_ times: [Int64]) -> [Int64] { zip(times, times.dropFirst()).map { $1 - $0 } }

@Suite struct RealServerTests {
  @Test(
    .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"),
    arguments: timelines)
  func `nginx-rtmp records what was published, whatever the time it starts at`(
    base: Int64
  ) async throws {
    let tags = try await FLVFile.sample()
    let nginx = try await NginxIngest()
    var options = RTMPConnection.Options()
    options.timestampBase = base
    let states = try await publish(ListFeed(tags), to: nginx.ingest(), options)
    #expect(states == [.connecting, .handshaking, .connected, .ready, .publishing, .closed])
    let recording = try await nginx.recordings()[0]
    let read = try FLVFile.tags(of: recording)
    for kind in [RTMPTag.Kind.video, .audio] {
      let (read, sent) = (media(kind, in: read), media(kind, in: tags))
      #expect(read.map(\.body) == sent.map(\.body))
      #expect(steps(read.map(\.timestamp)) == steps(sent.map(\.timestamp)))
    }
    let check = try await ChildProcess.run(
      "ffmpeg", ["-v", "error", "-i", recording, "-f", "null", "-"])
    #expect(check.standardError == "")
  }

  @Test(
    .enabled(if: FFmpegListener.isAvailable, "needs the ffmpeg command"), arguments: timelines)
  func `ffmpeg -listen reads back what was published, whatever the time it starts at`(
    base: Int64
  ) async throws {
    let tags = try await FLVFile.sample()
    let listener = try await FFmpegListener()
    var options = RTMPConnection.Options()
    options.timestampBase = base
    try await publish(ListFeed(tags), to: listener.ingest(), options)
    let read = try FLVFile.tags(of: try await listener.recording())
    let times = try await listener.packetTimes()
    for (kind, dts) in zip([RTMPTag.Kind.video, .audio], times) {
      let sent = media(kind, in: tags)
      #expect(media(kind, in: read).map(\.body) == sent.map(\.body))
      #expect(steps(dts) == steps(sent.map(\.timestamp)))
    }
    #expect(times.count == 2)
  }

  // Only the first message of a chunk stream carries an absolute time, so that one is made long
  // enough to have further chunks.
  @Test(
    .enabled(
      if: NginxIngest.isAvailable && FFmpegListener.isAvailable, "needs nginx-rtmp and ffmpeg"),
    arguments: timelines)
  func `both read extended timestamps on type-3 chunks`(base: Int64) async throws {
    var tags = try await FLVFile.sample(seconds: 1)
    for index in tags.indices where tags[index].isSequenceHeader && tags[index].kind == .video {
      tags[index].body = SharedBytes(tags[index].body + [UInt8](repeating: 0, count: 200))
    }
    var options = RTMPConnection.Options()
    options.timestampBase = base + 2000  // beyond the boundary from the first message on
    options.chunkSize = 128
    let (nginx, listener) = (try await NginxIngest(), try await FFmpegListener())
    try await publish(ListFeed(tags), to: nginx.ingest(), options)
    try await publish(ListFeed(tags), to: listener.ingest(), options)
    for path in [try await nginx.recordings()[0], try await listener.recording()] {
      let read = try FLVFile.tags(of: path)
      for kind in [RTMPTag.Kind.video, .audio] {
        #expect(media(kind, in: read).map(\.body) == media(kind, in: tags).map(\.body))
      }
    }
  }

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `nginx-rtmp hanging up on a wrong key reads as a refused key`() async throws {
    let tags = try await FLVFile.sample(seconds: 1)
    let nginx = try await NginxIngest()
    try await publish(
      ListFeed(tags), to: nginx.ingest(app: "keyed", key: NginxIngest.goodKey))
    let error = await #expect(throws: RTMPError.self) {
      try await publish(ListFeed(tags), to: nginx.ingest(app: "keyed", key: "wrong-canary"))
    }
    #expect(error?.category == .keyRefused)
    #expect(error.map(String.init(describing:))?.contains("canary") == false)
  }

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `nginx-rtmp acknowledges every 4 KB what it has read`() async throws {
    let tags = try await FLVFile.sample(seconds: 1)
    let nginx = try await NginxIngest()
    let feed = ListFeed(tags, end: .stay)
    let connection = RTMPConnection(to: try nginx.ingest())
    async let end: Void = onThread("publish") { try connection.publish(feed) { _ in } }
    try await feed.taken.reach("all tags taken") { $0.count == tags.count }
    let patience = MonotonicTime.now + .seconds(20)
    while connection.counters.bytesSent - connection.counters.bytesConfirmed > 8192 + 3200 {
      try #require(MonotonicTime.now < patience, "\(connection.counters)")
      await Task.yield()
    }
    #expect(connection.counters.unsentBytes == 0)
    feed.finish()
    try await end
  }
}
