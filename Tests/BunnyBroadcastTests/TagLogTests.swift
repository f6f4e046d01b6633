import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Foundation
import Testing

@Suite struct TagLogTests {
  /// A keyframe every second, a frame and some sound every 100 ms.
  private func tag(_ index: Int, bytes: Int = 10) -> [MediaTag] {
    let dts = Int64(index) * 100
    return [
      MediaTag(
        kind: .video, dts: dts, isKeyframe: index % 10 == 0,
        body: [UInt8](repeating: 0, count: bytes)),
      MediaTag(kind: .audio, dts: dts, isKeyframe: true, body: [0]),
    ]
  }

  private func bound(milliseconds: Int64, bytes: Int = 1 << 20) -> TagLog.Bound {
    var bound = TagLog.Bound()
    bound.milliseconds = milliseconds
    bound.bytes = bytes
    return bound
  }

  private func drain(_ cursor: TagLog.Cursor) -> [MediaTag] {
    var tags: [MediaTag] = []
    while let (tag, _) = cursor.next() { tags.append(tag) }
    return tags
  }

  @Test func `each consumer reads everything at its own pace`() {
    let log = TagLog()
    let (quick, slow) = (log.cursor(), log.cursor())
    for index in 0..<20 { log.append(tag(index)) }
    #expect(drain(quick).count == 40)
    for index in 20..<30 { log.append(tag(index)) }
    #expect(drain(quick).map(\.dts).first == 2000)
    #expect(drain(slow).count == 60)
    #expect(quick.droppedFrames == 0 && slow.droppedFrames == 0)
  }

  @Test func `a consumer that the log has left behind goes on with a keyframe, and counts`() {
    let log = TagLog(bound: bound(milliseconds: 2000))
    let cursor = log.cursor()
    for index in 0..<20 { log.append(tag(index)) }
    _ = cursor.next()
    for index in 20..<65 { log.append(tag(index)) }
    // Kept: 4400 to 6400 ms. The first keyframe in there is 5000.
    let next = cursor.next()
    #expect(next?.tag.dts == 5000 && next?.tag.isKeyframe == true && next?.tag.kind == .video)
    #expect(cursor.droppedFrames == 49)
  }

  @Test func `a consumer with a tighter bound of its own jumps ahead within the log`() {
    let log = TagLog()
    let cursor = log.cursor(longestLag: 1500)
    log.append(tag(0))
    _ = cursor.next()
    for index in 1..<40 { log.append(tag(index)) }
    #expect(cursor.next()?.tag.dts == 3000)
    #expect(cursor.droppedFrames == 29)
    #expect(drain(cursor).last?.dts == 3900)
  }

  @Test func `the log is bounded in bytes too`() {
    let log = TagLog(bound: bound(milliseconds: 100_000, bytes: 10_000))
    for index in 0..<100 { log.append(tag(index, bytes: 999)) }
    let kept = drain(log.cursor())
    #expect(kept.reduce(0) { $0 + $1.body.count } == 10_000)
    #expect(kept.count == 20)
    #expect(kept.first?.dts == 9000 && kept.last?.dts == 9900)
  }

  @Test func `a new session begins with the keyframe that the first unsent frame needs`() {
    let log = TagLog()
    let cursor = log.cursor()
    for index in 0..<35 { log.append(tag(index)) }
    var unsent: Int64?
    while let (tag, serial) = cursor.next() { if tag.dts == 2500 { unsent = serial } }
    cursor.rewind(before: unsent)
    #expect(cursor.next()?.tag.dts == 2000)
    cursor.rewind(before: nil)
    #expect(cursor.next()?.tag.dts == 2000)
    #expect(cursor.droppedFrames == 0)
  }

  @Test func `it is finished once all was read`() {
    let log = TagLog()
    let cursor = log.cursor()
    log.append(tag(0))
    log.finish()
    #expect(!cursor.isFinished)
    #expect(drain(cursor).count == 2)
    #expect(cursor.isFinished)
  }

  @Test func `memory of what has left the log is given back`() {
    let log = TagLog(bound: bound(milliseconds: 1000, bytes: 64 << 20))
    let before = residentMegabytes
    for index in 0..<3000 { log.append(tag(index, bytes: 1 << 20)) }
    #expect(drain(log.cursor()).first?.dts == 299_000)
    #expect(residentMegabytes - before < 1000)  // it was 3000 that passed through
  }

  // MARK: Another ingest takes over

  /// 35 frames: frame `index` has the number 2 × `index`, its sound the one after; keyframes at 0, 20,
  /// 40, 60.
  private func filled(bound: TagLog.Bound = TagLog.Bound(), count: Int = 35) -> TagLog {
    let log = TagLog(bound: bound)
    for index in 0..<count { log.append(tag(index)) }
    return log
  }

  @Test func `what a new session needs first is the video from the keyframe on`() throws {
    let log = filled()
    let (video, splice) = try #require(log.preamble(to: 46))
    #expect(video.map(\.dts) == [2000, 2100, 2200] && splice == 2300)
    #expect(video.map(\.isKeyframe) == [true, false, false])
    // From sound on: the frame before it has been seen as well.
    let (before, at) = try #require(log.preamble(to: 47))
    #expect(before.map(\.dts) == [2000, 2100, 2200, 2300] && at == 2300)
  }

  @Test func `before a keyframe nothing is needed`() throws {
    let (video, splice) = try #require(filled().preamble(to: 40))
    #expect(video.isEmpty && splice == 2000)
  }

  @Test func `when all has arrived, what comes next may have the last tag's time`() throws {
    let log = filled()
    let (video, splice) = try #require(log.preamble(to: log.end))
    #expect(log.end == 70 && splice == 3400)
    #expect(video.map(\.dts) == [3000, 3100, 3200, 3300, 3400])
    #expect(Preamble.squeezed(video, before: splice).map(\.dts).max() == 3399)
  }

  @Test func `without the keyframe there is no going on`() {
    // Kept: 2200 to 3400 ms.
    let log = filled(bound: bound(milliseconds: 1200))
    #expect(log.preamble(to: 46) == nil)  // its keyframe is lost
    #expect(log.preamble(to: 10) == nil)  // it is lost itself
    #expect(log.preamble(to: 62)?.video.count == 1)
    #expect(TagLog().preamble(to: 0) == nil)
  }

  @Test func `a GOP of margin lies before what a kernel has acknowledged`() {
    let log = filled()
    #expect(log.margin(of: 1000, before: 46) == 26)
    #expect(log.margin(of: 1000, before: 6) == 0)
    #expect(log.margin(of: 0, before: 47) == 46)  // the same moment
    #expect(log.margin(of: 1000, before: log.end) == 48)
    #expect(TagLog().margin(of: 1000, before: 0) == 0)
    let short = filled(bound: bound(milliseconds: 1200))
    #expect(short.margin(of: 5000, before: 60) == 44)
    #expect(short.margin(of: 1000, before: 3) == 3)
  }

  @Test func `the keyframe to change at is the first one from there on`() {
    let log = filled()
    #expect(log.keyframe(from: 0) == 0)
    #expect(log.keyframe(from: 1) == 20 && log.keyframe(from: 20) == 20)
    #expect(log.keyframe(from: 61) == nil && log.keyframe(from: log.end) == nil)
    for index in 35..<41 { log.append(tag(index)) }
    #expect(log.keyframe(from: 61) == 80)
    #expect(filled(bound: bound(milliseconds: 1200)).keyframe(from: 0) == 60)
  }

  @Test func `reading on in the middle of a GOP misses and counts nothing`() {
    let log = filled()
    let cursor = log.cursor()
    cursor.resume(at: 47)
    let next = cursor.next()
    #expect(next?.serial == 47 && next?.tag.kind == .audio)
    #expect(cursor.next()?.serial == 48)
    #expect(drain(cursor).count == 21 && cursor.droppedFrames == 0)
    cursor.resume(at: log.end)
    log.append(tag(35))
    #expect(cursor.next()?.tag.dts == 3500)
    #expect(cursor.droppedFrames == 0)
  }

  @Test func `skipping goes to a keyframe, and counts the frames that lie between`() {
    let log = filled()
    let cursor = log.cursor()
    cursor.skip(to: 46)
    #expect(cursor.next()?.serial == 60)
    #expect(cursor.droppedFrames == 7)  // 2300 to 2900
    cursor.skip(to: log.end)
    for index in 35..<42 { log.append(tag(index)) }
    #expect(cursor.next()?.serial == 80)
    #expect(cursor.droppedFrames == 7 + 5)
  }

  @Test func `after an outage that outlasts the log, all that is missing is counted, newest kept`()
  {
    let log = filled(bound: bound(milliseconds: 2000))
    let undelivered: Int64 = 46
    let frame = log.frame(at: undelivered)
    #expect(frame == 23)
    for index in 35..<400 { log.append(tag(index)) }
    #expect(log.preamble(to: undelivered) == nil)
    let cursor = log.cursor()
    cursor.skip(to: undelivered, frame: frame)
    #expect(cursor.next()?.tag.dts == 38_000)  // kept: 37 900 to 39 900
    #expect(cursor.droppedFrames == 380 - 23)
    #expect(drain(cursor).count == 39)
  }

  private var residentMegabytes: Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) / 256
  }
}
