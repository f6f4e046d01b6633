import Support

/// What happens to a line, and what is broadcast over it meanwhile.
struct NetworkCourse {
  enum Kind { case fallAndRise, constant, freezes, lossy }

  let kind: Kind
  let title: String
  let file: String
  /// Of the picture, in bit/s.
  let bitrate: Int
  /// Of the whole, in seconds.
  let seconds: Double
  /// From which second on the line is how.
  let phases: [(second: Double, condition: Line.Condition)]
  /// Seconds at which the line stands still for one.
  var freezes: [Double] = []

  /// - Parameter phase: seconds: 30 are the real thing.
  static func all(phase: Double) -> [NetworkCourse] {
    let standing = stride(from: phase / 3 * 2, to: phase * 4 - 2, by: phase / 3 * 2)
    return [
      NetworkCourse(
        kind: .fallAndRise, title: "4 → 1.5 → 4 Mbit/s", file: "fall-and-rise",
        bitrate: 6_000_000, seconds: phase * 3,
        phases: [
          (0, .limited(4_000_000)), (phase, .limited(1_500_000)), (phase * 2, .limited(4_000_000)),
        ]),
      NetworkCourse(
        kind: .constant, title: "2.5 Mbit/s, constant", file: "constant", bitrate: 6_000_000,
        seconds: phase * 20, phases: [(0, .limited(2_500_000))]),
      NetworkCourse(
        kind: .freezes, title: "4 Mbit/s, frozen for 1 s now and then", file: "freezes",
        bitrate: 3_000_000, seconds: phase * 4, phases: [(0, .limited(4_000_000))],
        freezes: Array(standing)),
      NetworkCourse(
        kind: .lossy, title: "4 Mbit/s, 200 ms, 1 % loss", file: "lossy", bitrate: 3_000_000,
        seconds: phase * 2, phases: [(0, .lossy)]),
    ]
  }

  func shortened(to seconds: Double) -> NetworkCourse {
    NetworkCourse(
      kind: kind, title: title, file: file, bitrate: bitrate, seconds: seconds, phases: phases,
      freezes: freezes)
  }

  /// Bit/s at a second.
  func capacity(_ second: Double) -> Double {
    if freezes.contains(where: { (0..<1).contains(second - $0) }) { return 0 }
    return Double(phases.last { $0.second <= second }?.condition.rateThere ?? 0)
  }
}

extension Line.Condition {
  /// 40 ms there and back; a fifth of a second waits where the line is narrow.
  fileprivate static func limited(_ bitsPerSecond: Int) -> Self {
    Self(delayThere: 20, delayBack: 20, rateThere: bitsPerSecond)
  }

  fileprivate static let lossy = Self(
    delayThere: 100, delayBack: 100, rateThere: 4_000_000, lossThere: 0.01)
}
