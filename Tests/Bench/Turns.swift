import Foundation

/// Contenders on one course, taking turns.
struct Turns {
  private struct Entry {
    let name: String
    let contender: Contender
    let x264: X264
    var trials: [Trial] = []
  }

  private let course: Course
  private let rounds: Int
  private let seconds: Int
  private var entries: [Entry] = []

  init(_ course: Course, _ options: BenchOptions, seconds: Int? = nil) {
    self.course = course
    rounds = options.rounds
    self.seconds = seconds ?? options.seconds
  }

  mutating func add(_ name: String, _ contender: Contender, _ x264: X264) {
    entries.append(Entry(name: name, contender: contender, x264: x264))
  }

  /// Who begins changes from round to round.
  mutating func run() async throws {
    for round in 0..<rounds {
      say("\(course.name), \(entries[0].x264.rawValue), round \(round + 1) of \(rounds)")
      for index in round % 2 == 0 ? Array(entries.indices) : entries.indices.reversed() {
        let entry = entries[index]
        entries[index].trials.append(
          try await Trial.run(entry.contender, course, entry.x264, seconds: seconds))
      }
    }
    warn(entries.flatMap(\.trials).map(\.otherWork).median)
  }

  /// Other work spoils the milliseconds first.
  private func warn(_ otherWork: Double) {
    guard otherWork > 0.15 else { return }
    let percent = Int((otherWork * 100).rounded())
    say("\(course.name) is rough: other work took \(percent) % of a core meanwhile")
  }

  /// - Throws: ``BenchFailure`` unless x264 says the same of all of these, letter by letter.
  func expectSameSettings(_ contenders: Set<Contender>) throws {
    let all = entries.filter { contenders.contains($0.contender) }.flatMap(\.trials)
    let settings = Set(all.map(\.x264Settings))
    guard settings.count == 1 else {
      throw BenchFailure(70, "x264 was set differently:\n\(settings.joined(separator: "\n"))")
    }
  }

  /// In the order of ``GrowthBench``'s columns.
  var costs: [ResultTable.Line] {
    entries.map { entry in
      let cpu = entry.trials.map(\.cpuMillisecondsPerPicture)
      let shares = cpu.map { $0 * Double(course.framesPerSecond) / 10 }
      return .init(name: entry.name, figures: [cpu, shares, entry.trials.map(\.peakMemory)])
    }
  }

  /// In the order of ``CostBench``'s columns.
  func lines() async throws -> [ResultTable.Line] {
    var lines: [ResultTable.Line] = []
    for entry in entries {
      let trials = entry.trials
      let ssim = try await PictureQuality.ssim(
        ofBroadcast: trials[0].video, against: course.reference)
      lines.append(
        .init(
          name: entry.name,
          figures: [
            trials.map(\.cpuMillisecondsPerPicture),
            trials.map(\.runningMillisecondsPerPicture), trials.map(\.peakMemory),
            trials.map(\.firstKeyframe), [ssim], trials.compactMap(\.handling?.p50),
            trials.compactMap(\.handling?.p99),
          ]))
    }
    return lines
  }
}
