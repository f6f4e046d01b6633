import BunnyBroadcast
import BunnyMedia
import BunnyRTMP
import BunnySystem
import Testing

/// What two sessions send of one log when one takes over from the other at a keyframe.
///
/// A keyframe every second, a frame and some sound every 100 ms: frame `index` has the number 2 × `index`,
/// its sound the one after. 15 frames are there when the change begins; the next keyframe is number 40.
@Suite struct TagFeedTests {
  private let log: TagLog
  private let wantsKeyframe: Flag
  private let surroundings: TagFeed.Surroundings
  private let old: TagFeed

  init() {
    (log, wantsKeyframe) = (TagLog(), Flag())
    surroundings = TagFeed.Surroundings(
      log: log, headers: [RTMPTag(kind: .data, timestamp: 0, body: [])],
      telemetry: LaneTelemetry(whole: Telemetry(lanes: 1), lane: 0),
      stallLimit: .milliseconds(1500), gop: 1000, wantsKeyframe: wantsKeyframe,
      onDrop: { frames, reason in Issue.record("\(frames) dropped: \(reason)") })
    old = TagFeed(surroundings, .oldest)
    add(0..<15)
    #expect(old.opening().map(\.serial) == [-1])
    #expect(take(old) == Array(0..<30))
  }

  private func add(_ frames: Range<Int64>) {
    for index in frames {
      log.append([
        MediaTag(kind: .video, dts: index * 100, isKeyframe: index % 10 == 0, body: [0]),
        MediaTag(kind: .audio, dts: index * 100, isKeyframe: true, body: [0]),
      ])
    }
  }

  private func take(_ feed: TagFeed) -> [Int64] { tags(feed).map(\.serial) }

  private func tags(_ feed: TagFeed) -> [RTMPTag] {
    var tags: [RTMPTag] = []
    while let tag = feed.next() { tags.append(tag) }
    return tags
  }

  private func confirm(_ serials: Range<Int64>) {
    for serial in serials { old.confirmed(serial, at: .now) }
  }

  /// The new session is accepted, and the keyframe comes.
  private func change(
    at handover: KeyframeHandover, _ replay: BroadcastConfiguration.Replay = .squeezed
  ) -> TagFeed {
    old.hold(at: handover)
    let new = TagFeed(surroundings, .handover(replay, handover))
    _ = new.opening()
    #expect(take(new) == [])
    add(15..<22)
    return new
  }

  @Test func `the new session begins at the keyframe, once all before it has arrived`() {
    let new = change(at: KeyframeHandover())
    #expect(take(old) == Array(30..<40))
    confirm(0..<39)
    #expect(take(new) == [])
    confirm(39..<40)
    #expect(take(new) == Array(40..<44))
    #expect(take(old) == [] && !old.isFinished)
  }

  @Test func `what had arrived before the keyframe came does as well`() {
    let handover = KeyframeHandover()
    old.hold(at: handover)
    let new = TagFeed(surroundings, .handover(.squeezed, handover))
    _ = new.opening()
    add(15..<20)
    #expect(take(old) == Array(30..<40))
    confirm(0..<40)
    #expect(take(new) == [])
    add(20..<22)
    #expect(take(old) == [])
    #expect(take(new) == Array(40..<44))
  }

  @Test func `a peer that could not confirm its last bytes is not waited for`() {
    let new = change(at: KeyframeHandover(awaitsArrival: false))
    #expect(take(new) == [])
    #expect(take(old) == Array(30..<40))
    #expect(take(new) == Array(40..<44))
  }

  @Test func `should the new one fail, the old one goes on: nothing is lost, nothing sent again`() {
    let new = change(at: KeyframeHandover())
    #expect(take(old) == Array(30..<40))
    confirm(0..<40)
    #expect(take(new) == Array(40..<44))
    old.hold(at: nil)
    #expect(take(old) == Array(40..<44))
    add(22..<25)
    #expect(take(old) == Array(44..<50))
  }

  @Test(arguments: BroadcastConfiguration.Replay.allCases)
  func `should the old one break, the new one replays as it was told to`(
    replay: BroadcastConfiguration.Replay
  ) {
    let handover = KeyframeHandover()
    let new = change(at: handover, replay)
    #expect(take(old) == Array(30..<40))
    confirm(0..<36)
    handover.breaks(leaving: TagFeed.Undelivered(serial: 36, frame: 18))
    confirm(36..<40)  // too late
    let sent = tags(new)
    switch replay {
    case .squeezed:
      #expect(sent.map(\.serial) == Array(repeating: -1, count: 8) + Array(36..<44))
      #expect(sent.prefix(9).map(\.timestamp) == Array(1792...1800))
    case .plain:
      #expect(sent.map(\.serial) == Array(20..<44))
      #expect(sent.first?.timestamp == 1000)
    case .none:
      #expect(sent.isEmpty && wantsKeyframe.isSet)
    }
  }

  @Test func `one that breaks after all had arrived has nothing replayed`() {
    let handover = KeyframeHandover()
    let new = change(at: handover)
    #expect(take(old) == Array(30..<40))
    confirm(0..<40)
    handover.breaks(leaving: TagFeed.Undelivered(serial: 36, frame: 18))
    #expect(take(new) == Array(40..<44))
  }

  @Test func `a broadcast that ends before the keyframe comes ends with the old session`() {
    let handover = KeyframeHandover()
    old.hold(at: handover)
    let new = TagFeed(surroundings, .handover(.squeezed, handover))
    _ = new.opening()
    log.finish()
    #expect(take(old) == [] && old.isFinished)
    #expect(take(new) == [] && !new.isFinished)
  }
}
