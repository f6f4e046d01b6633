import BunnyMedia
import BunnySandbox
import BunnySystem
import Testing

struct SplicerTests {
  /// Pictures 100 ms apart, a keyframe every tenth, number `n` in each body.
  private func picture(_ n: Int, at dts: Int64? = nil, of encoder: UInt8 = 1) -> MediaTag {
    MediaTag(
      kind: .video, dts: dts ?? Int64(n) * 100, isKeyframe: n % 10 == 0,
      body: [0x17, 1, 0, 0, 0, encoder, UInt8(n % 256), UInt8(n / 256)])
  }
  private func sound(_ dts: Int64) -> MediaTag {
    MediaTag(kind: .audio, dts: dts, isKeyframe: true, body: [0xAF, 1, 7])
  }
  private func header(_ kind: MediaTag.Kind, _ content: UInt8 = 0) -> MediaTag {
    MediaTag(
      kind: kind, dts: 0, isKeyframe: true, isSequenceHeader: true,
      body: [0x17, 0, 0, 0, 0, content])
  }

  /// A splicer that shows, and what the viewer has got of it.
  private struct Show {
    var splicer = Splicer()
    var seen: [MediaTag] = []
    var now = 0.0

    init() { splicer.isOpen = true }

    mutating func feed(_ tags: [MediaTag], _ ingest: IngestName = .primary) {
      for tag in tags {
        now += 0.01
        seen += splicer.take(tag, from: ingest, at: second(now))
      }
    }
    mutating func leave(_ ingest: IngestName) {
      seen += splicer.left(ingest, at: second(now))
    }
    var pictures: [MediaTag] { seen.filter { $0.kind == .video && !$0.isSequenceHeader } }
    var numbers: [Int] { pictures.map { Int($0.body[6]) + Int($0.body[7]) * 256 } }
    var times: [Int64] { pictures.map(\.dts) }
    var headers: Int { seen.count { $0.isSequenceHeader } }
  }

  private func show(_ numbers: Range<Int>) -> Show {
    var show = Show()
    show.feed([header(.audio), header(.video)] + numbers.map { picture($0) })
    return show
  }

  @Test func `viewers begin at a second, with headers and the last keyframe before the start`() {
    var show = Show()
    show.splicer.isOpen = false
    show.feed([header(.audio), header(.video)] + (0..<25).map { picture($0) })
    #expect(show.seen.isEmpty)
    show.splicer.isOpen = true
    show.feed([picture(25)])
    #expect(show.seen.prefix(2).map(\.kind) == [.audio, .video] && show.headers == 2)
    #expect(show.numbers == Array(20...25))
    #expect(show.times == [1000, 1100, 1200, 1300, 1400, 1500])
  }

  @Test func `the primary goes first when both could`() {
    var show = Show()
    show.splicer.isOpen = false
    for ingest in IngestName.allCases { show.feed([header(.video), picture(0)], ingest) }
    show.splicer.isOpen = true
    show.feed([picture(1)], .backup)
    #expect(show.splicer.carrier == nil)
    show.feed([picture(1)], .primary)
    #expect(show.splicer.carrier == .primary && show.numbers == [0, 1])
  }

  @Test func `both ingests carry the same: the other goes on where the first stopped`() {
    var show = Show()
    show.feed([header(.video)], .backup)
    show.feed([header(.video)], .primary)
    for number in 0..<25 {
      show.feed([picture(number)], .primary)
      show.feed([picture(number)], .backup)
    }
    show.feed([picture(25), picture(26)], .backup)
    #expect(show.numbers == Array(0..<25))
    show.leave(.primary)
    #expect(show.splicer.carrier == .backup && show.numbers == Array(0..<27))
    show.feed([picture(27)], .backup)
    #expect(show.numbers == Array(0..<28))
    #expect(show.times == (0..<28).map { Int64($0) * 100 + 1000 })
    #expect(show.headers == 1)
  }

  @Test func `a frozen ingest is left once it is silent and the other is not`() {
    var show = show(0..<15)
    show.feed([header(.video)] + (10..<15).map { picture($0) }, .backup)
    #expect(show.splicer.carrier == .primary)
    show.now += 0.7
    show.feed([picture(15)], .backup)
    #expect(show.splicer.carrier == .backup)
    #expect(show.numbers == Array(0..<16))
  }

  @Test func `a replay, squeezed before the splice, is seen once`() {
    var show = show(0..<25)
    show.leave(.primary)
    let replay = (20..<27).map { picture($0, at: 2700 - 27 + Int64($0)) }
    show.feed([header(.video)] + replay + [picture(27), picture(28)], .backup)
    #expect(show.numbers == Array(0..<29))
    #expect(zip(show.times, show.times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(show.times.suffix(2) == [3700, 3800])
  }

  @Test func `a publisher that comes back to the same ingest is joined as well`() {
    var show = show(0..<25)
    show.leave(.primary)
    show.feed([header(.video), sound(1990)] + (20..<27).map { picture($0) }, .primary)
    #expect(show.numbers == Array(0..<27))
    #expect(show.headers == 2)
  }

  @Test func `a replay that turns out to be another coding is shown whole`() {
    var show = show(0..<25)
    show.leave(.primary)
    let other = [picture(20), picture(21), picture(22, of: 2), picture(23, of: 2)]
    show.feed([header(.video)] + other, .backup)
    #expect(show.numbers == Array(0..<25) + [20, 21, 22, 23])
    #expect(zip(show.times, show.times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `a gap in a timeline that runs on stays a gap`() {
    var show = show(0..<25)
    show.leave(.primary)
    show.feed([header(.video), picture(80), picture(81)], .backup)
    #expect(show.times.suffix(2) == [9000, 9100])
  }

  @Test func `another timeline is laid behind what was shown`() {
    var show = show(300..<325)
    show.leave(.primary)
    show.feed([header(.video, 9)] + (0..<3).map { picture($0, of: 2) }, .backup)
    #expect(show.times.suffix(4) == [3400, 3433, 3533, 3633])
    #expect(show.headers == 3)
  }

  @Test func `sound that was heard is not heard again`() {
    var show = Show()
    show.feed([header(.audio), header(.video), picture(0), sound(0), sound(20), sound(40)])
    show.leave(.primary)
    show.feed(
      [header(.audio), header(.video), picture(0), sound(20), sound(40), sound(60), picture(1)],
      .backup)
    let heard = show.seen.filter { $0.kind == .audio && !$0.isSequenceHeader }
    #expect(heard.map(\.dts) == [1000, 1020, 1040, 1060])
    #expect(show.numbers == [0, 1])
  }

  @Test func `time passes the 32 bits of RTMP`() {
    var show = Show()
    let wrap: Int64 = 1 << 32
    show.feed([header(.video)])
    show.feed((0..<30).map { picture($0, at: (wrap - 1500 + Int64($0) * 100) % wrap) })
    #expect(show.times == (0..<30).map { 1000 + Int64($0) * 100 })
  }
}
