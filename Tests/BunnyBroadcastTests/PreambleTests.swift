import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Support
import Testing

@Suite struct PreambleTests {
  /// Frames in the order of decoding; `shown`: their place in the order of showing.
  private func frames(_ shown: [Int], interval: Int64 = 40, wait: Int64 = 0) -> [MediaTag] {
    shown.enumerated().map { index, place in
      let dts = 5000 + Int64(index) * interval
      return MediaTag(
        kind: .video, dts: dts, cts: 5000 + Int64(place) * interval + wait - dts,
        isKeyframe: index == 0, body: [0x17, 1, 9, 9, 9, UInt8(index)])
    }
  }

  private func dts(_ tags: [MediaTag]) -> [Int64] { tags.map(\.dts) }
  private func shown(_ tags: [MediaTag]) -> [Int64] { tags.map { $0.dts + $0.cts } }

  @Test func `frames take the milliseconds before the splice`() {
    let squeezed = Preamble.squeezed(frames([0, 1, 2, 3]), before: 5160)
    #expect(dts(squeezed) == [5156, 5157, 5158, 5159])
    #expect(squeezed.map(\.cts) == [0, 0, 0, 0])
    #expect(squeezed.map(\.isKeyframe) == [true, false, false, false])
    #expect(squeezed.map { $0.body[5] } == [0, 1, 2, 3])
  }

  @Test func `all that is shown later by the same, as encoders with B-frames do, is squeezed too`()
  {
    let squeezed = Preamble.squeezed(frames([0, 1, 2, 3], wait: 80), before: 5160)
    #expect(dts(squeezed) == [5156, 5157, 5158, 5159])
    #expect(shown(squeezed) == [5156, 5157, 5158, 5159])
  }

  @Test func `B-frames are shown in their order, and their bodies say so`() {
    // I P B B P B B: one frame waits for others at most.
    let squeezed = Preamble.squeezed(frames([0, 3, 1, 2, 6, 4, 5], wait: 40), before: 5280)
    #expect(dts(squeezed) == [5272, 5273, 5274, 5275, 5276, 5277, 5278])
    #expect(shown(squeezed) == [5273, 5276, 5274, 5275, 5279, 5277, 5278])
    #expect(
      squeezed.allSatisfy {
        Int64($0.body[4]) == $0.cts && $0.body.dropFirst(2).starts(with: [0, 0])
      })
  }

  @Test func `a P-frame whose B-frames have not arrived keeps its time, and they come before it`() {
    let all = frames([0, 3, 1, 2, 6, 4, 5], wait: 40)
    let squeezed = Preamble.squeezed(Array(all[..<5]), before: all[5].dts)
    #expect(dts(squeezed) == [5195, 5196, 5197, 5198, 5199])
    #expect(shown(squeezed) == [5196, 5199, 5197, 5198, 5280])
    #expect(shown(Array(all[5...])) == [5200, 5240])
  }

  @Test func `of a pyramid, a B-frame that others come before keeps its time as well`() {
    let all = frames([0, 4, 2, 1, 3], wait: 80)
    let squeezed = Preamble.squeezed(Array(all[..<3]), before: all[3].dts)
    #expect(shown(squeezed) == [5119, 5240, 5160])
    #expect(shown(all)[3...] == [5120, 5200])
    #expect(squeezed.allSatisfy { $0.cts >= 0 })
  }

  @Test func `times that were rounded to milliseconds are told from frames that are missing`() {
    // 60 frames a second: 16.67 ms each.
    let order = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8]
    let all = order.enumerated().map { index, place in
      let (dts, pts) = (Int64(index) * 50 / 3, (Int64(place) + 2) * 50 / 3)
      return MediaTag(kind: .video, dts: dts, cts: pts - dts, isKeyframe: index == 0, body: [])
    }
    for count in [1, 4, 7, 10] {
      let splice = Int64(count) * 50 / 3
      let squeezed = Preamble.squeezed(Array(all[..<count]), before: splice)
      #expect(shown(squeezed).allSatisfy { $0 < splice })
    }
    for count in [2, 3, 5, 6, 8, 9] {
      let squeezed = Preamble.squeezed(Array(all[..<count]), before: Int64(count) * 50 / 3)
      #expect(shown(squeezed).max() == shown(all[..<count].map(\.self)).max())
    }
  }

  @Test func `nothing becomes nothing, and a keyframe alone a millisecond`() {
    #expect(Preamble.squeezed([], before: 100).isEmpty)
    #expect(dts(Preamble.squeezed(frames([0]), before: 5040)) == [5039])
  }

  @Test(arguments: UInt64(0)..<300)
  func `whatever the pattern, times rise, below the splice, and the order of showing is kept`(
    seed: UInt64
  ) throws {
    var random = Dice(seed: seed)
    let interval = Int64.random(in: 8...100, using: &random)
    // Mini-GOPs of up to 6 frames, all B-frames in any order after their P-frame.
    var order = [0]
    while order.count < 60 {
      let next = order.count
      let last = next + Int.random(in: 0..<6, using: &random)
      order += [last] + (next..<last).shuffled(using: &random)
    }
    // As much as the frame that waits longest needs.
    let wait = order.enumerated().map { Int64($0 - $1) * interval }.max() ?? 0
    let all = frames(order, interval: interval, wait: wait)
    let count = Int.random(in: 1..<all.count, using: &random)
    let splice = all[count].dts
    let squeezed = Preamble.squeezed(Array(all[..<count]), before: splice)
    let times = shown(squeezed)

    try #require(squeezed.count == count && squeezed.allSatisfy { $0.cts >= 0 })
    #expect(zip(squeezed, squeezed.dropFirst()).allSatisfy { $0.dts < $1.dts })
    #expect(squeezed.last.map { $0.dts < splice } ?? false)
    #expect(squeezed[0].dts >= splice - Int64(count) - 6)
    // With what follows: nothing overtakes anything.
    let old = shown(all)
    let new = times + old[count...]
    let (before, after) = (
      old.indices.sorted { old[$0] < old[$1] }, new.indices.sorted { new[$0] < new[$1] }
    )
    #expect(before == after && Set(new).count == new.count)
    // What was seen up to the first frame that is missing takes no time at all.
    let missing = old[count...].min() ?? 0
    #expect(zip(old, times).allSatisfy { $0 < missing ? $1 < splice : $0 == $1 })
  }
}
