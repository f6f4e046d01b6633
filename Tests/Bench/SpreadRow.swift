import Foundation

/// One line of a result that spreads: its middle and its bad end, in milliseconds, and what is wanted.
struct SpreadRow {
  let title: String
  let milliseconds: [Double]
  var goal: (half: Double, most: Double)?

  init(_ title: String, _ milliseconds: [Double], goal: (half: Double, most: Double)? = nil) {
    self.title = title
    self.milliseconds = milliseconds.sorted()
    self.goal = goal
  }

  /// The smallest value that so many of all do not exceed.
  func percentile(_ share: Double) -> Double {
    milliseconds[max(0, Int((share * Double(milliseconds.count)).rounded(.up)) - 1)]
  }

  var isHeld: Bool? {
    goal.map { percentile(0.5) <= $0.half && percentile(0.99) <= $0.most }
  }

  private var cells: [String] {
    let goalText = goal.map { String(format: "≤ %.0f, %.0f", $0.half, $0.most) } ?? "-"
    return [
      title, "\(milliseconds.count)", String(format: "%.1f", percentile(0.5)),
      String(format: "%.1f", percentile(0.99)), goalText, isHeld.map { $0 ? "yes" : "NO" } ?? "-",
    ]
  }

  static func table(_ rows: [SpreadRow]) -> String {
    columns([["milliseconds", "trials", "p50", "p99", "goal", "held"]] + rows.map(\.cells)) + "\n"
  }
}
