package import BunnyBroadcast
import BunnySystem

/// The line that is redrawn in place at a terminal's foot.
package enum StatusLine {
  /// - Parameter width: columns; the line is at least one shorter, or terminals would wrap it.
  package static func text(
    _ statistics: BroadcastStatistics, _ view: BroadcastView, width: Int
  ) -> String {
    let whole = hidingAddresses(in: LogText.waiting(statistics) ?? view.target)
    let longest = line(statistics, view, whole)
    guard longest.count >= width else { return longest }
    // The address is what can be spared best; its beginning tells ingests apart.
    let room = whole.count - (longest.count - width + 1)
    let target = room > shortestTarget ? whole.prefix(room - 1) + "…" : ""
    return String(line(statistics, view, String(target)).prefix(max(0, width - 1)))
  }

  private static let shortestTarget = 12

  private static func line(
    _ statistics: BroadcastStatistics, _ view: BroadcastView, _ target: String
  ) -> String {
    ([
      "\(view.state(statistics)) \(Wording.clock(statistics.elapsedSeconds))",
      view.isMuted ? "muted" : "", target,
    ] + (statistics.waitingFor == nil ? figures(statistics) : []) + [view.hasKeys ? keys(view) : ""])
    .filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private static func figures(_ statistics: BroadcastStatistics) -> [String] {
    [
      "\(fixed(statistics.framesPerSecond, 1)) fps", Wording.bitrate(statistics.bitrate),
      statistics.targetReason == nil
        ? "" : "target \(Wording.bitrate(Double(statistics.targetBitrate)))",
      "queue \(fixed(statistics.queueAgeMs, 0)) ms", "drops \(statistics.totals.droppedFrames)",
    ]
  }

  private static func keys(_ view: BroadcastView) -> String {
    "[q end, m \(view.isMuted ? "unmute" : "mute")\(view.hasCameras ? ", c camera" : "")]"
  }
}
