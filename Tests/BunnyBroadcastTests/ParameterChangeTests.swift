import BunnyBroadcast
import BunnyMedia
import BunnyRTMP
import BunnySystem
import Testing

/// Frames that need different sequence headers, in one log: a camera's own H.264 and ours.
@Suite struct ParameterChangeTests {
  private let log = TagLog()
  private let surroundings: TagFeed.Surroundings

  init() {
    surroundings = TagFeed.Surroundings(
      log: log,
      headers: [
        RTMPTag(kind: .data, timestamp: 0, body: []),
        RTMPTag(kind: .video, timestamp: 0, body: [1]),
        RTMPTag(kind: .audio, timestamp: 0, body: [9]),
      ],
      telemetry: LaneTelemetry(whole: Telemetry(lanes: 1), lane: 0),
      stallLimit: .milliseconds(1500), gop: 1000, wantsKeyframe: Flag(), onDrop: { _, _ in })
    // GOPs of three frames; the second is the camera's.
    for frame in 0..<9 {
      var tag = MediaTag(
        kind: .video, dts: Int64(frame) * 100, isKeyframe: frame % 3 == 0, body: [7, UInt8(frame)])
      tag.parameters = (3..<6).contains(frame) ? [2] : [1]
      log.append([tag])
    }
  }

  /// What is sent: headers as their number, frames as theirs plus 100.
  private func sent(_ feed: TagFeed) -> [Int] {
    var sent: [Int] = []
    while let tag = feed.next() {
      sent.append(
        tag.serial >= 0 || tag.body.count == 2 ? 100 + Int(tag.body[1]) : Int(tag.body[0]))
    }
    return sent
  }

  @Test func `a header goes before the first frame that needs it, at that frame's time`() {
    let feed = TagFeed(surroundings, .oldest)
    #expect(feed.opening().map(\.body) == [[], [1], [9]])
    var tags: [RTMPTag] = []
    while let tag = feed.next() { tags.append(tag) }
    #expect(
      tags.map(\.body)
        == [
          [7, 0], [7, 1], [7, 2], [2], [7, 3], [7, 4], [7, 5], [1], [7, 6], [7, 7], [7, 8],
        ])
    #expect(tags[3].timestamp == 300 && tags[3].serial == -1)
    #expect(tags.map(\.timestamp) == tags.map(\.timestamp).sorted())
  }

  @Test func `it is not over before the frame behind a header is sent`() {
    let feed = TagFeed(surroundings, .replay(.plain, .init(serial: 8, frame: 8)))
    _ = feed.opening()
    log.finish()
    #expect(sent(feed) == [106, 107, 108] && feed.isFinished)
  }

  @Test(arguments: [
    (4, [2, 103, 104, 105, 1, 106, 107, 108]), (5, [2, 103, 104, 105, 1, 106, 107, 108]),
    (7, [106, 107, 108]),
  ])
  func `another session's replay begins with the header of its frames`(
    _ undelivered: Int, _ expected: [Int]
  ) {
    for mode in [BroadcastConfiguration.Replay.squeezed, .plain] {
      let feed = TagFeed(
        surroundings, .replay(mode, .init(serial: Int64(undelivered), frame: Int64(undelivered))))
      _ = feed.opening()
      #expect(sent(feed) == expected, "\(mode)")
    }
  }
}
