import Foundation

/// One table: who did the work, and each of its figures in every round.
struct ResultTable: Encodable {
  struct Line: Encodable {
    let name: String
    /// A column's rounds each; empty where it has no such figure.
    var figures: [[Double]]
  }

  let title: String
  /// With their units.
  let columns: [String]
  var lines: [Line] = []
  var goals: [Goal] = []

  var isHeld: Bool { goals.allSatisfy(\.isHeld) }

  /// The median of a line's figure.
  subscript(name: String, column: Int) -> Double? {
    guard let line = lines.first(where: { $0.name == name }), !line.figures[column].isEmpty else {
      return nil
    }
    return line.figures[column].median
  }

  var text: String {
    let cells = lines.map { line in [line.name] + line.figures.map(Self.cell) }
    let goalLines = goals.map { "  \($0.text)\n" }.joined()
    return aligned([[title] + columns] + cells) + "\n" + goalLines
  }

  /// The median, and from where to where the rounds went.
  private static func cell(_ rounds: [Double]) -> String {
    guard let least = rounds.min(), let most = rounds.max() else { return "-" }
    guard rounds.count > 1 else { return number(least) }
    return "\(number(rounds.median)) (\(number(least)) to \(number(most)))"
  }
}

/// Something that is wanted of a figure.
struct Goal: Encodable {
  let title: String
  let value: Double
  /// nil: the other one is wanted.
  var most: Double?
  var least: Double?
  var unit = ""

  var isHeld: Bool { value <= most ?? .infinity && value >= least ?? -.infinity }

  var text: String {
    let wanted = [most.map { "at most \(number($0))" }, least.map { "at least \(number($0))" }]
      .compactMap { $0 }.joined(separator: ", ")
    return "\(isHeld ? "held  " : "MISSED") \(title): \(number(value))\(unit), \(wanted)\(unit)"
  }

  private enum CodingKeys: String, CodingKey { case title, value, most, least, unit, isHeld }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(title, forKey: .title)
    try fields.encode(value, forKey: .value)
    try fields.encodeIfPresent(most, forKey: .most)
    try fields.encodeIfPresent(least, forKey: .least)
    try fields.encode(unit, forKey: .unit)
    try fields.encode(isHeld, forKey: .isHeld)
  }
}

extension Goal {
  /// Of a ratio of two figures that are there.
  static func ratio(_ title: String, _ ours: Double?, to peer: Double?, most: Double) -> [Goal] {
    guard let ours, let peer else { return [] }
    return [Goal(title: title, value: ours / peer, most: most, unit: " x")]
  }

  static func most(_ title: String, _ value: Double?, _ most: Double, unit: String) -> [Goal] {
    value.map { [Goal(title: title, value: $0, most: most, unit: unit)] } ?? []
  }
}

/// To three digits or so.
func number(_ value: Double) -> String {
  guard value != 0 else { return "0" }
  let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3
  return String(format: "%.\(digits)f", value)
}

/// What a whole run of the benchmark found.
struct Results: Encodable {
  private(set) var tables: [ResultTable] = []
  private(set) var spreads: [SpreadRow] = []
  private(set) var series: [NetworkSeries] = []

  var isHeld: Bool { tables.allSatisfy(\.isHeld) && spreads.allSatisfy { $0.isHeld != false } }

  /// Shows it, and keeps it for ``write(to:)``.
  mutating func add(_ table: ResultTable) {
    FileHandle.standardOutput.write(Data("\(table.text)\n".utf8))  // unbuffered, unlike print
    tables.append(table)
  }

  mutating func add(_ rows: [SpreadRow], in unit: String = "milliseconds") {
    FileHandle.standardOutput.write(Data("\(SpreadRow.table(rows, in: unit))\n".utf8))
    spreads += rows
  }

  mutating func add(_ series: NetworkSeries) { self.series.append(series) }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do { try encoder.encode(self).write(to: URL(filePath: path)) } catch {
      throw BenchFailure(73, "\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}
