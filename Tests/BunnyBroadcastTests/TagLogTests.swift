import BunnyBroadcast
import BunnyMedia
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

  private var residentMegabytes: Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) / 256
  }
}
