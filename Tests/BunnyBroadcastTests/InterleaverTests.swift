import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Testing

extension Interleaver {
  /// What can go out then, in order.
  fileprivate mutating func take(_ tag: MediaTag, at now: MonotonicTime) -> [MediaTag] {
    offer(tag, at: now)
    return out()
  }

  fileprivate mutating func end(_ kind: MediaTag.Kind, at now: MonotonicTime) -> [MediaTag] {
    finish(kind, at: now)
    return out()
  }

  private mutating func out() -> [MediaTag] {
    var out: [MediaTag] = []
    while let tag = next() { out.append(tag) }
    return out
  }
}

@Suite struct InterleaverTests {
  private let start = MonotonicTime(nanoseconds: 0)

  private func video(_ dts: Int64, cts: Int64 = 0) -> MediaTag {
    MediaTag(
      kind: .video, dts: dts, cts: cts, isKeyframe: false, body: [0x27, 1, 0, 0, UInt8(cts)])
  }
  private func audio(_ dts: Int64) -> MediaTag {
    MediaTag(kind: .audio, dts: dts, isKeyframe: true, body: [0xAF, 1])
  }
  private func shown(_ tags: [MediaTag]) -> [String] {
    tags.map { "\($0.kind) \($0.dts)" }
  }

  @Test func `sound waits for the picture that belongs before it`() {
    var interleaver = Interleaver(longestHold: .seconds(1))
    #expect(interleaver.take(audio(0), at: start).isEmpty)
    #expect(interleaver.take(audio(21), at: start).isEmpty)
    #expect(shown(interleaver.take(video(0), at: start)) == ["video 0", "audio 0"])
    #expect(shown(interleaver.take(video(33), at: start)) == ["audio 21"])
    #expect(shown(interleaver.take(audio(43), at: start)) == ["video 33"])
  }

  @Test func `a track that stalls is not waited for longer than the hold`() {
    var interleaver = Interleaver(longestHold: .milliseconds(500))
    _ = interleaver.take(audio(0), at: start)
    #expect(interleaver.take(audio(21), at: start + .milliseconds(499)).isEmpty)
    let out = interleaver.take(audio(43), at: start + .milliseconds(500))
    #expect(shown(out) == ["audio 0"])
  }

  @Test func `while the process was held up nothing was waited for`() {
    var interleaver = Interleaver(longestHold: .seconds(3))
    _ = interleaver.take(audio(0), at: start)
    #expect(interleaver.take(audio(60_000), at: start + .seconds(60)).isEmpty)
    let out = interleaver.take(video(0), at: start + .seconds(60))
    #expect(shown(out) == ["video 0", "audio 0"])
  }

  @Test func `what comes after its place is gone is decoded later and shown when it was to be`() {
    var interleaver = Interleaver(longestHold: 0)
    #expect(shown(interleaver.take(audio(100), at: start)) == ["audio 100"])
    let late = interleaver.take(video(80, cts: 67), at: start)
    #expect(shown(late) == ["video 100"])
    #expect(late[0].cts == 47)
    #expect(late[0].body == [0x27, 1, 0, 0, 47])
    let tooLate = interleaver.take(video(90), at: start)
    #expect(tooLate[0].dts == 101 && tooLate[0].cts == 0)
  }

  @Test func `when one track has ended the other goes straight through`() {
    var interleaver = Interleaver(longestHold: .seconds(1))
    _ = interleaver.take(audio(10), at: start)
    _ = interleaver.take(audio(20), at: start)
    #expect(shown(interleaver.end(.video, at: start)) == ["audio 10", "audio 20"])
    #expect(shown(interleaver.take(audio(30), at: start)) == ["audio 30"])
  }

  @Test func `dts never falls, and rises within a track, whatever the order of arrival`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var interleaver = Interleaver(longestHold: .milliseconds(Int64.random(in: 0...300)))
      var next: [MediaTag.Kind: Int64] = [.video: 0, .audio: 0]
      var out: [MediaTag] = []
      for step in 0..<100 {
        let kind: MediaTag.Kind = Bool.random(using: &random) ? .video : .audio
        next[kind]! += Int64.random(in: 1...50)
        let tag = kind == .video ? video(next[kind]!) : audio(next[kind]!)
        out += interleaver.take(tag, at: start + .milliseconds(Int64(step) * 10))
      }
      out += interleaver.end(.video, at: start) + interleaver.end(.audio, at: start)
      #expect(out.count == 100)
      #expect(zip(out, out.dropFirst()).allSatisfy { $0.dts <= $1.dts })
      for kind in [MediaTag.Kind.video, .audio] {
        let track = out.filter { $0.kind == kind }
        #expect(zip(track, track.dropFirst()).allSatisfy { $0.dts < $1.dts })
      }
    }
  }
}
