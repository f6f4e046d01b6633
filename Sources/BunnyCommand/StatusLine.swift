package import BunnyBroadcast

/// The line that is redrawn in place at a terminal's foot.
package enum StatusLine {
  /// - Parameter width: columns; the line is at least one shorter, or terminals would wrap it.
  package static func text(
    _ statistics: BroadcastStatistics, _ view: BroadcastView, width: Int
  ) -> String {
    let longest = line(statistics, view, view.target)
    guard longest.count >= width else { return longest }
    // The address is what can be spared best; its beginning tells ingests apart.
    let room = view.target.count - (longest.count - width + 1)
    let target = room > shortestTarget ? view.target.prefix(room - 1) + "…" : ""
    return String(line(statistics, view, String(target)).prefix(max(0, width - 1)))
  }

  private static let shortestTarget = 12

  private static func line(
    _ statistics: BroadcastStatistics, _ view: BroadcastView, _ target: String
  ) -> String {
    [
      "\(view.state(statistics)) \(clock(statistics.elapsedSeconds))",
      view.isMuted ? "muted" : "", target,
      "\(fixed(statistics.framesPerSecond, 1)) fps", bitrate(statistics.bitrate),
      statistics.targetReason == nil
        ? "" : "target \(bitrate(Double(statistics.targetBitrate)))",
      "queue \(whole(statistics.queueAgeMs)) ms", "drops \(statistics.totals.droppedFrames)",
      view.hasKeys ? keys(view) : "",
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func keys(_ view: BroadcastView) -> String {
    "[q end, m \(view.isMuted ? "unmute" : "mute")\(view.hasCameras ? ", c camera" : "")]"
  }

  /// `HH:MM:SS`; hours are not wrapped.
  package static func clock(_ seconds: Double) -> String {
    let total = seconds.isFinite && seconds > 0 ? Int(min(seconds, 1e12)) : 0
    return "\(twoDigits(total / 3600)):\(twoDigits(total / 60 % 60)):\(twoDigits(total % 60))"
  }

  /// `850 kbit/s`, `2.48 Mbit/s`.
  package static func bitrate(_ bitsPerSecond: Double) -> String {
    bitsPerSecond < 999_500
      ? "\(whole(bitsPerSecond / 1000)) kbit/s" : "\(fixed(bitsPerSecond / 1_000_000, 2)) Mbit/s"
  }

  private static func whole(_ value: Double) -> String { fixed(value, 0) }
}

func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

/// `value` with exactly so many decimals.
func fixed(_ value: Double, _ decimals: Int) -> String {
  guard value.isFinite, abs(value) < 1e12 else { return "-" }
  let factor = (0..<decimals).reduce(1) { product, _ in product * 10 }
  let scaled = Int((abs(value) * Double(factor)).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard decimals > 0 else { return "\(sign)\(scaled)" }
  let fraction = String(scaled % factor)
  let zeros = String(repeating: "0", count: decimals - fraction.count)
  return "\(sign)\(scaled / factor).\(zeros)\(fraction)"
}
