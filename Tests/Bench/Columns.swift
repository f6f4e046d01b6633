/// Lines of cells, the first of each to the left, the others to the right.
func aligned(_ lines: [[String]]) -> String {
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
