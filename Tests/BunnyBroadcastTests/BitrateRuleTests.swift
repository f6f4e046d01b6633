import BunnyBroadcast
import BunnyRTMP
import BunnySystem
import Foundation
import Testing

/// On a model of a line.
@Suite struct BitrateRuleTests {
  private func show(_ model: LineModel) {
    guard ProcessInfo.processInfo.environment["BUNNY_TRIALS"] != nil else { return }
    for mark in model.marks { print("trial: \(mark)") }
  }

  /// - Parameters:
  ///   - buffer: seconds that wait where the line is narrow.
  ///   - found: seconds after which the capacity is found: a great buffer has to be emptied.
  @Test(arguments: [(4_000_000, 0.2, 2.5), (6_000_000, 0.2, 2.5), (6_000_000, 1, 2.5)])
  func `a line that falls and rises is followed, with one overshoot at most`(
    preset: Int, buffer: Double, found: Double
  ) throws {
    var model = LineModel(preset: preset)
    model.buffer = buffer
    model.capacity = { (30..<60).contains($0) ? 1.5e6 : 4e6 }
    model.run(seconds: 90)
    show(model)
    #expect(model.marks(32..<60).allSatisfy { $0.queueAge < 500 })
    #expect(model.marks(30 + found..<60).allSatisfy { abs(model.rate($0) / 1.5e6 - 1) <= 0.1 })
    let back = try #require(model.marks(60..<90).first { model.rate($0) >= 3.6e6 })
    #expect(back.time <= 70, "\(back)")
    let after = model.marks(back.time..<90)
    let overshoots = zip(after, after.dropFirst()).count {
      model.rate($0) > 4e6 && model.rate($1) <= 4e6
    }
    #expect(overshoots <= 1)
    #expect(after.allSatisfy { $0.queueAge < 1000 })
  }

  @Test(arguments: [0.6, 1, 1.5, 2, 2.5, 3, 4])
  func `a line that falls again while what piled up is worked off is followed too`(
    after: Double
  ) {
    var model = LineModel(preset: 4_000_000)
    model.capacity = { $0 < 10 ? 5e6 : $0 < 10 + after ? 2.5e6 : 1.2e6 }
    model.run(seconds: 30)
    show(model)
    #expect(model.marks(13 + after..<30).allSatisfy { $0.queueAge < 500 })
    #expect(model.marks(14 + after..<30).allSatisfy { abs(model.rate($0) / 1.2e6 - 1) <= 0.1 })
  }

  /// What was a little less, and looks like a try that failed, is far less in truth.
  @Test(arguments: [0, 0.4, 0.8, 1.2])
  func `a line that falls far while it is only known to have fallen is followed too`(
    after: Double
  ) {
    var model = LineModel(preset: 4_000_000)
    model.capacity = { $0 < 30 ? 4e6 : $0 < 31.2 + after ? 3.3e6 : 1.2e6 }
    model.run(seconds: 50)
    show(model)
    #expect(model.marks(31.2 + after..<50).allSatisfy { $0.queueAge < 1500 })
    #expect(model.marks(33.9 + after..<50).allSatisfy { $0.queueAge < 500 })
  }

  @Test func `a constant capacity is found, and left alone`() {
    var model = LineModel(preset: 6_000_000)
    model.capacity = { _ in 2.5e6 }
    model.run(seconds: 600)
    show(model)
    let rates = model.marks(20..<600).map(model.rate)
    #expect(rates.reduce(0, +) / Double(rates.count) > 0.85 * 2.5e6)
    #expect(model.changes(60..<600) <= 9)
    #expect(model.marks(3..<600).allSatisfy { $0.queueAge < 700 })
  }

  @Test(arguments: [2_500_000, 3_600_000])
  func `a line that stands still for a second is not a slower one`(preset: Int) {
    var model = LineModel(preset: preset)
    model.capacity = {
      $0 > 10 && $0.truncatingRemainder(dividingBy: 20) < 1 ? 0 : 4e6
    }
    model.run(seconds: 120)
    show(model)
    // With room to spare it is made up for without us.
    if preset < 3_000_000 { #expect(model.changes(0..<120) == 0) }
    for second in stride(from: 36.0, to: 120, by: 20) {
      #expect(
        model.marks(second - 8..<second).allSatisfy { $0.target == Double(preset) }, "\(second)")
    }
  }

  /// As BBR does every ten seconds, and every TCP after a loss.
  @Test(arguments: [
    (6_000_000, 2.5e6, 0.04, 0.28, 0.3), (6_000_000, 2.5e6, 0.04, 0.2, 0),
    (3_000_000, 4e6, 0.04, 0.28, 0.2), (3_000_000, 4e6, 0.2, 0.5, 0.1),
  ])
  func `what TCP holds back for a moment is no slower line`(
    preset: Int, capacity: Double, roundTrip: Double, length: Double, share: Double
  ) {
    // Some of them come in the middle of a try.
    for phase in stride(from: 0, to: 11.3, by: 0.565) {
      var model = LineModel(preset: preset)
      model.roundTrip = roundTrip
      model.capacity = {
        $0 > 5 && ($0 + phase).truncatingRemainder(dividingBy: 11.3) < length
          ? share * capacity : capacity
      }
      model.run(seconds: 600)
      show(model)
      #expect(model.changes(60..<600) <= (Double(preset) < capacity ? 0 : 9), "\(phase)")
      let rates = model.marks(20..<600).map(model.rate)
      let most = min(capacity, Double(preset) + model.sound)
      #expect(rates.reduce(0, +) / Double(rates.count) > 0.9 * most, "\(phase)")
      #expect(model.marks(20..<600).allSatisfy { $0.queueAge < 500 }, "\(phase)")
    }
  }

  /// Twelve seconds have piled up then, as much as is kept.
  @Test(arguments: [(2_500_000, 4e6, 12.0), (2_500_000, 1.5e6, 6.0)])
  func `after a long cut it is made up for without mud`(
    preset: Int, capacity: Double, cut: Double
  ) throws {
    var model = LineModel(preset: preset)
    model.capacity = { (20..<20 + cut).contains($0) ? 0 : capacity }
    model.run(seconds: 120)
    show(model)
    let end = 20 + cut
    let late = model.marks(end + 1..<120).filter { $0.queueAge > 2500 }
    // Four tenths of what the line carries, sound included; where that is little, fewer and smaller pictures.
    let mud = late.filter { $0.target < 0.38 * capacity - model.sound }
    #expect(mud.isEmpty, "\(mud.first!)")
    let unanswered = late.filter { mark in
      let before = model.marks(mark.time - 1.3..<mark.time)
      return mark.step == 0 && (before + [mark]).allSatisfy { $0.target < Double(preset) / 3 }
    }
    #expect(unanswered.isEmpty, "\(unanswered.first!)")
    #expect(model.marks(end + 2.5 * cut..<120).allSatisfy { $0.queueAge < 500 })
    #expect(model.marks.last.map { $0.step == 0 } ?? false)
    // What lasts is told.
    #expect(model.news.contains { (end..<end + cut).contains($0.time) })
  }

  @Test(arguments: [(300_000.0, true), (650_000, false), (4e6, false)])
  func `a line that carries less than the least is told of`(
    capacity: Double, isTooLittle: Bool
  ) {
    var model = LineModel(preset: 2_500_000)
    model.capacity = { $0 < 10 ? 4e6 : capacity }
    model.run(seconds: 40)
    show(model)
    #expect(model.rule.isTooLittle == isTooLittle)
  }

  @Test func `an easy picture is no reason to go down`() {
    var model = LineModel(preset: 4_000_000)
    model.usage = { $0 < 20 ? 1 : 0.02 }
    model.capacity = { _ in 5e6 }
    model.run(seconds: 60)
    #expect(model.marks.allSatisfy { $0.target == 4e6 && $0.reason == nil })
  }

  @Test func `an easy picture teaches nothing: what it leaves unproven fails without a grudge`() {
    var model = LineModel(preset: 6_000_000)
    model.usage = { (20..<100).contains($0) ? 0.05 : 1 }
    model.capacity = { _ in 2.5e6 }
    model.run(seconds: 130)
    show(model)
    #expect(model.marks(104..<130).allSatisfy { $0.queueAge < 500 })
    #expect(model.marks(110..<130).allSatisfy { abs(model.rate($0) / 2.5e6 - 1) <= 0.15 })
  }

  @Test func `an easy picture over a line that answers later for a while is none either`() {
    var model = LineModel(preset: 4_000_000)
    model.usage = { _ in 0.2 }
    model.capacity = { _ in 8e6 }
    model.slowness = { (20..<20.4).contains($0) ? 0.15 : 0 }
    model.run(seconds: 40)
    show(model)
    #expect(model.marks.allSatisfy { $0.target == 4e6 })
  }

  @Test func `another connection knows nothing of what failed`() throws {
    var model = LineModel(preset: 4_000_000)
    model.capacity = { $0 < 30 ? 1e6 : 10e6 }
    model.reconnects = [30]
    model.run(seconds: 40)
    show(model)
    let back = try #require(model.marks(30..<40).first { $0.target == 4e6 })
    #expect(back.time < 36)
  }

  @Test func `what is told of a fall and a rise is short, and true at its end`() throws {
    var model = LineModel(preset: 4_000_000)
    model.capacity = { (30..<60).contains($0) ? 1.5e6 : 5e6 }
    model.run(seconds: 90)
    let told = model.news
    let fall = try #require(told.first)
    #expect(fall.change.from == 4_000_000 && fall.time < 32)
    let low = try #require(told.last { $0.time < 60 }?.change)
    #expect(abs(Double(low.to) + model.sound - 1.41e6) < 0.05e6)
    #expect(low.reason.hasSuffix("; at half the frame rate"))
    #expect(told.last?.change.to == 4_000_000)
    let end = "the network takes all of it; all pictures again, and whole"
    #expect(told.last?.change.reason == end)
    #expect(told.count == 2, "\(told)")
  }
}
