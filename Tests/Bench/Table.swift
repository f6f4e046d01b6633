import Foundation

/// One line of the result: a median of ours, one of the peer's, and what is wanted.
struct Row {
  enum Goal {
    /// Ours over the peer's, at most.
    case ratio(Double)
    /// Ours, at most.
    case value(Double)
    case none
  }

  let title: String
  let ours: [Double]
  var peers: [Double] = []
  var unit = ""
  var goal = Goal.none

  var isHeld: Bool? {
    switch goal {
    case .ratio(let most): ratio.map { $0 <= most }
    case .value(let most): ours.median <= most
    case .none: nil
    }
  }

  private var ratio: Double? { peers.isEmpty ? nil : ours.median / peers.median }

  var cells: [String] {
    let goalText =
      switch goal {
      case .ratio(let most): "≤ \(text(most)) x"
      case .value(let most): "≤ \(text(most))\(unit)"
      case .none: "-"
      }
    return [
      title, text(ours.median) + unit,
      peers.isEmpty ? "-" : text(peers.median) + unit,
      ratio.map { String(format: "%.3f", $0) } ?? "-", goalText,
      isHeld.map { $0 ? "yes" : "NO" } ?? "-",
    ]
  }
}

/// To three digits or so.
func text(_ value: Double) -> String {
  String(format: value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value)
}

/// Lines under a heading, in columns.
func table(_ heading: String, _ rows: [Row]) -> String {
  columns([[heading, "ours", "ffmpeg's", "ratio", "goal", "held"]] + rows.map(\.cells))
}

/// Lines of cells, the first of each to the left, the others to the right.
func columns(_ lines: [[String]]) -> String {
  let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max()! }
  return lines.map { cells in
    zip(cells, widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: cell.1 - cell.0.count)
      return column == 0 ? cell.0 + space : space + cell.0
    }.joined(separator: "  ")
  }.joined(separator: "\n")
}

extension [Double] {
  var median: Double {
    let sorted = sorted()
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
  }
}
