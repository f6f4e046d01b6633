import Foundation

/// One line of a result that spreads: its middle and its bad end, and what is wanted.
struct SpreadRow: Encodable {
  let title: String
  let values: [Double]
  /// Of the 50th and the 99th percentile; nil: of that nothing is wanted.
  var goal: (half: Double, most: Double?)?

  init(_ title: String, _ values: [Double], goal: (half: Double, most: Double?)? = nil) {
    self.title = title
    self.values = values.sorted()
    self.goal = goal
  }

  /// The smallest value that so many of all do not exceed.
  func percentile(_ share: Double) -> Double {
    values[max(0, Int((share * Double(values.count)).rounded(.up)) - 1)]
  }

  var isHeld: Bool? {
    goal.map { percentile(0.5) <= $0.half && percentile(0.99) <= $0.most ?? .infinity }
  }

  private var cells: [String] {
    let goals = [goal?.half, goal?.most].compactMap { $0 }.map { String(format: "%.3g", $0) }
    let goalText = goals.isEmpty ? "-" : "≤ \(goals.joined(separator: ", "))"
    return [
      title, "\(values.count)", number(percentile(0.5)), number(percentile(0.99)), goalText,
      isHeld.map { $0 ? "yes" : "NO" } ?? "-",
    ]
  }

  private enum CodingKeys: String, CodingKey { case title, values }

  static func table(_ rows: [SpreadRow], in unit: String = "milliseconds") -> String {
    aligned([[unit, "trials", "p50", "p99", "goal", "held"]] + rows.map(\.cells)) + "\n"
  }
}
