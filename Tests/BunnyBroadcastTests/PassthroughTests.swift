import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Testing

/// Whether a camera's own H.264 suits, on tables of pictures.
@Suite struct PassthroughTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
  /// At 30 fps, of the 2.5 Mbit/s that the quality has.
  private static let bytes = 10_000

  private func rule() -> Passthrough { Passthrough(width: 1280, height: 720, bitrate: 2_500_000) }

  private func facts(_ number: Int, gop: Int = 30, size: Int = bytes) -> CodedFacts {
    CodedFacts(number: number, isKeyframe: number % gop == 0, width: 1280, height: 720, size: size)
  }

  private func time(_ number: Int) -> MonotonicTime {
    Self.start + Int64(number) * 1_000_000_000 / 30
  }

  /// What becomes of `count` pictures at 30 fps; steps that repeat are told once.
  private func steps(
    _ count: Int, _ rule: inout Passthrough, _ make: (Int) -> CodedFacts
  ) -> [Passthrough.Step] {
    var steps: [Passthrough.Step] = []
    for number in 0..<count {
      let step = rule.judge(make(number), at: time(number))
      if step != steps.last { steps.append(step) }
    }
    return steps
  }

  @Test func `what suits passes for ever`() {
    var rule = rule()
    #expect(steps(10_000, &rule) { facts($0) } == [.pass])
    rule = self.rule()
    #expect(steps(10_000, &rule) { facts($0, gop: 120) } == [.pass])
  }

  @Test func `it begins with a keyframe`() {
    var rule = rule()
    var steps: [Passthrough.Step] = []
    for number in 25..<32 { steps.append(rule.judge(facts(number), at: time(number))) }
    #expect(steps == Array(repeating: .wait, count: 5) + [.pass, .pass])
  }

  @Test func `after a picture that is missing it waits for a keyframe`() {
    var rule = rule()
    let numbers = [0, 1, 2, 4, 5, 29, 30, 31]
    let steps = numbers.map { rule.judge(facts($0), at: time($0)) }
    #expect(steps == [.pass, .pass, .pass, .wait, .wait, .wait, .pass, .pass])
  }

  private static let unsuited: [(String, @Sendable (inout CodedFacts) -> Void)] = [
    ("it is 1920x1080, and the quality 1280x720", { ($0.width, $0.height) = (1920, 1080) }),
    ("it is yuv422p, and players need 4:2:0 with 8 bits", { $0.format = "yuv422p" }),
    ("it is yuv420p10le, and players need 4:2:0 with 8 bits", { $0.format = "yuv420p10le" }),
    ("it is interlaced", { $0.isInterlaced = true }),
    ("it has B-frames, whose times are not known", { $0.isBFrame = !$0.isKeyframe }),
  ]

  @Test(arguments: 0..<unsuited.count)
  func `what does not suit is refused once, then encoded anew`(_ index: Int) {
    let (reason, change) = Self.unsuited[index]
    var rule = rule()
    let steps = steps(100, &rule) { number in
      var facts = facts(number)
      change(&facts)
      return facts
    }
    #expect(steps.filter { $0 != .pass } == [.refuse(reason), .reencode])
  }

  @Test func `too long a GOP is noticed when its keyframe does not come`() {
    var rule = rule()
    for number in 0...125 {
      let step = rule.judge(facts(number, gop: 1000), at: time(number))
      #expect(step == .pass)
    }
    let late = rule.judge(facts(126, gop: 1000), at: time(127))
    #expect(late == .refuse("it has had no keyframe for more than 4 s"))
  }

  @Test func `the bit rate is measured over four seconds, and may be a little more`() {
    var rule = rule()
    let most = Int(Double(Self.bytes) * 1.19)  // 2.856 Mbit/s
    #expect(steps(300, &rule) { facts($0, size: most) } == [.pass])
    rule = self.rule()
    let steps = steps(300, &rule) { facts($0, size: 2 * Self.bytes) }
    #expect(
      steps == [.pass, .refuse("it has 4800 kbit/s, and the quality 2500"), .reencode])
    rule = self.rule()
    for number in 0..<120 { _ = rule.judge(facts(number, size: 20_000), at: time(number)) }
    let step = rule.judge(facts(120, size: 20_000), at: time(120))
    #expect(step != .pass)
  }

  @Test func `it is judged anew when its parameter sets change`() {
    var rule = rule()
    let steps = steps(200, &rule) { number in
      var facts = facts(number)
      if number < 50 { facts.width = 640 }
      facts.parameters.sequence = number < 50 ? [1] : [2]
      return facts
    }
    let reason = "it is 640x720, and the quality 1280x720"
    #expect(steps == [.refuse(reason), .reencode, .pass])
  }
}
