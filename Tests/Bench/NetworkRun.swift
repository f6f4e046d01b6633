import BunnyBroadcast
import BunnySystem
import Foundation
import Support

/// One course, run by this program or by `ffmpeg`.
struct NetworkRun {
  /// Every 100 ms.
  struct Mark: Encodable {
    let second: Double
    /// Of the line, in bit/s, IP and all.
    let capacity: Double
    /// Bit/s over the last second: on the line, IP and all, and into the socket.
    let arrived: Double
    var sent: Double?
    /// Of the picture, in bit/s.
    var target: Double?
    /// Of the oldest tag that is not sent, in milliseconds.
    var queueAgeMs: Double?
    /// How late the media that arrives is, against the least, in milliseconds; nil: none has arrived.
    let lateMs: Double?
  }

  let course: NetworkCourse
  var marks: [Mark] = []
  var dropped = 0
  var connections = 0

  private struct Look: Decodable {
    let at: Int64
    let target: Int
    let queueAge: Double
    let sent: Int64
    let dropped: Int
    let connections: Int
  }

  init(_ course: NetworkCourse, ffmpeg isPeer: Bool) async throws {
    self.course = course
    let line = try await Line(course.phases[0].condition)
    let ingest = try ScriptedIngest(at: .first, of: line)
    let arguments = Self.command(course, to: ingest.url(), isPeer)
    let child = try await line.inNear {
      try ChildProcess(arguments[0], Array(arguments.dropFirst()))
    }
    defer { child.send(SIGKILL) }
    try await ingest.waitUntil { $0.contains { $0.media.count > 10 } }
    let start = MonotonicTime.now
    let arrived = try await Self.play(course, on: line, from: start)
    let looks = try child.standardOutput.split(separator: "\n").dropLast().map {
      try JSONDecoder().decode(Look.self, from: Data($0.utf8))
    }
    guard isPeer || !looks.isEmpty else { throw BenchFailure(70, child.standardError) }
    note(arrived, looks, ingest.visits, from: start)
    dropped = looks.last?.dropped ?? 0
    connections = ingest.visits.count { !$0.media.isEmpty }
  }

  private static func command(_ course: NetworkCourse, to url: String, _ isPeer: Bool) -> [String] {
    let rate = "\(course.bitrate)"
    guard isPeer else { return [CommandLine.arguments[0], NetworkTrace.name, url, rate] }
    return [
      "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-re", "-f", "lavfi", "-i",
      NetworkTrace.picture, "-re", "-f", "lavfi", "-i", "sine=f=440:r=48000", "-c:v", "libx264",
      "-preset", "superfast", "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-g", "60", "-b:v",
      rate,
      "-maxrate", rate, "-bufsize", rate, "-c:a", "aac", "-b:a", "128k", "-f", "flv", url,
    ]
  }

  /// - Returns: how many bytes had passed the line at which moment.
  private static func play(
    _ course: NetworkCourse, on line: Line, from start: MonotonicTime
  ) async throws -> [(at: MonotonicTime, bytes: Int)] {
    var arrived: [(MonotonicTime, Int)] = []
    var phases = course.phases.dropFirst()
    var freezes = course.freezes[...]
    for tick in 0..<Int(course.seconds * 10) {
      let moment = start + .milliseconds(Int64(tick) * 100)
      try await Task.sleep(for: .nanoseconds(max(0, moment - .now)))
      let second = Double(tick) / 10
      if let phase = phases.first, phase.second <= second {
        line.set(phase.condition)
        phases.removeFirst()
      }
      if let freeze = freezes.first, freeze <= second {
        line.freeze(seconds: 1)
        freezes.removeFirst()
      }
      arrived.append((.now, line.counters().there.bytes))
    }
    return arrived
  }

  private mutating func note(
    _ arrived: [(at: MonotonicTime, bytes: Int)], _ looks: [Look], _ visits: [IngestVisit],
    from start: MonotonicTime
  ) {
    let late = visits.flatMap(\.media).map {
      ($0.arrival, $0.arrival.nanoseconds / 1_000_000 - $0.timestamp)
    }
    .sorted { $0.0 < $1.0 }
    let least = late.map(\.1).min() ?? 0
    var (look, tag) = (0, 0)
    for (index, mark) in arrived.enumerated() {
      while look + 1 < looks.count, looks[look + 1].at * 1_000_000 <= mark.at.nanoseconds {
        look += 1
      }
      while tag + 1 < late.count, late[tag + 1].0 <= mark.at { tag += 1 }
      let before = arrived[max(0, index - 10)]
      let seconds = max(0.1, Double(mark.at - before.at) / 1e9)
      let second = Double(mark.at - start) / 1e9
      let now = looks.isEmpty ? nil : looks[look]
      marks.append(
        Mark(
          second: second, capacity: course.capacity(second),
          arrived: Double(mark.bytes - before.bytes) * 8 / seconds,
          sent: now.map { Double($0.sent - looks[max(0, look - 10)].sent) * 8 / seconds },
          target: now.map { Double($0.target) }, queueAgeMs: now?.queueAge,
          lateMs: late.isEmpty ? nil : Double(late[tag].1 - least)))
    }
  }
}

// Figures.
extension NetworkRun {
  func marks(_ seconds: Range<Double>) -> [Mark] { marks.filter { seconds.contains($0.second) } }

  /// What the line is asked to carry, TCP's and IP's headers included.
  static func asked(_ mark: Mark) -> Double {
    ((mark.target ?? 0) + Double(NetworkTrace.sound)) * 1500 / 1448
  }

  /// Seconds after `begin` from which on all marks until `end` hold; nil: none.
  func settling(_ begin: Double, until end: Double, _ holds: (Mark) -> Bool) -> Double? {
    let marks = marks(begin..<end)
    guard let last = marks.lastIndex(where: { !holds($0) }) else { return 0 }
    return last + 1 < marks.count ? marks[last + 1].second - begin : nil
  }

  /// How often the target goes to another one, by more than a twentieth.
  func changes(_ seconds: Range<Double>) -> Int {
    var last: Double?
    return marks(seconds).count { mark in
      guard let target = mark.target else { return false }
      guard let before = last else {
        last = target
        return false
      }
      guard abs(target - before) > 0.05 * before else { return false }
      last = target
      return true
    }
  }

  func most(_ seconds: Range<Double>, _ value: (Mark) -> Double?) -> Double {
    marks(seconds).compactMap(value).max() ?? 0
  }
}
