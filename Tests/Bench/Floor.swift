import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Foundation
import Support

/// What no broadcaster gets round: one of its three large works alone, in real time, on the same frames.
///
/// Each runs in a process of its own (`bunny-bench floor WORK COURSE X264 SECONDS`), which prints the
/// processor time of the work in milliseconds a picture: what is prepared before is not in it.
enum Floor: String, CaseIterable {
  case x264
  case jpeg = "JPEG decoder"
  case aac = "AAC encoder"

  /// - Returns: milliseconds of processor time a picture.
  func measured(_ course: Course, _ x264: X264, seconds: Int) async throws -> Double {
    let place = Course.all.firstIndex { $0.name == course.name }!
    let outcome = try await Running.toEnd(
      CommandLine.arguments[0], ["floor", rawValue, "\(place)", x264.rawValue, "\(seconds)"],
      atMost: Double(seconds) + 60)
    guard outcome.exitStatus == 0,
      let milliseconds = Double(outcome.standardOutput.trimmingCharacters(in: .newlines))
    else { throw BenchFailure(70, "\(rawValue) alone: \(outcome)") }
    return milliseconds
  }

  /// What such a process does.
  ///
  /// - Returns: whether `arguments` asked for it.
  static func run(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 5, arguments[0] == "floor", let work = Floor(rawValue: arguments[1]),
      let place = Int(arguments[2]), let x264 = X264(rawValue: arguments[3]),
      let seconds = Int(arguments[4])
    else { return false }
    print(try work.milliseconds(Course.all[place], x264, seconds: seconds))
    return true
  }

  private func milliseconds(_ course: Course, _ x264: X264, seconds: Int) throws -> Double {
    let count = seconds * course.framesPerSecond
    let pace = Pace(course.framesPerSecond)
    switch self {
    case .x264:
      let pictures = try Self.pictures(course)
      let quality = try BroadcastQuality(named: x264.qualityFile(course))
      let encoder = try VideoEncoder(quality.videoSettings)
      return try pace.cost(count) { index in
        _ = try encoder.encode(pictures[index % pictures.count], at: Int64(index))
      }
    case .jpeg:
      let frames = try course.frames.map { try Data(contentsOf: URL(filePath: $0)) }
      let decoder = JPEGDecoder()
      return try pace.cost(count) { index in
        _ = try frames[index % frames.count].withUnsafeBytes { try decoder.decode($0, time: .now) }
      }
    case .aac:
      let encoder = try AudioEncoder(bitrate: 128_000)
      let runs = try Self.sound(seconds: seconds)
      let samples = broadcastSampleRate / course.framesPerSecond
      var (next, rest) = (0, 0)
      return try pace.cost(count) { _ in
        rest += samples
        while next < runs.count, rest >= runs[next].count {
          _ = try encoder.encode(runs[next], 0..<runs[next].count)
          rest -= runs[next].count
          next += 1
        }
      }
    }
  }

  /// The sound that is broadcast beside a feed that has none, as it is encoded.
  private static func sound(seconds: Int) throws -> [Samples] {
    let path = Course.sound(seconds: seconds)
    let demuxer = try Demuxer("file:\(path)")
    guard let track = demuxer.audio else {
      throw BenchFailure(69, "\(path) holds no sound; delete it, to have it made again")
    }
    let (decoder, converter) = (try Decoder(track), SampleConverter())
    var runs: [Samples] = []
    while let (index, packet) = try demuxer.next() {
      guard index == track.index else { continue }
      for run in decoder.samples(packet, at: .now) { runs += try converter.convert(run) }
    }
    return runs + (try converter.finish())
  }

  /// The course's frames as they are encoded.
  private static func pictures(_ course: Course) throws -> [Picture] {
    let demuxer = try Demuxer("file:\(course.reference)")
    guard let track = demuxer.video else {
      throw BenchFailure(
        69, "\(course.reference) holds no picture; delete it, to have it made again")
    }
    let decoder = try Decoder(track)
    let most = 4 * course.framesPerSecond
    var pictures: [Picture] = []
    while pictures.count < most, let (index, packet) = try demuxer.next() {
      if index == track.index { pictures += decoder.pictures(packet, at: .now) }
    }
    return pictures
  }
}

/// Work in real time, and what it costs.
private struct Pace {
  private let period: Int64

  init(_ framesPerSecond: Int) { period = Int64(1_000_000_000 / framesPerSecond) }

  /// - Returns: milliseconds of processor time a piece, of all threads.
  func cost(_ count: Int, _ work: (Int) throws -> Void) throws -> Double {
    let before = ProcessorTime.ownSeconds
    let alarm = WakeEvent()
    var due = MonotonicTime.now
    for index in 0..<count {
      try work(index)
      due = due + period
      alarm.wait(until: due)
    }
    return (ProcessorTime.ownSeconds - before) * 1000 / Double(count)
  }
}
