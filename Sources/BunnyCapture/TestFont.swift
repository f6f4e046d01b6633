import BunnyMedia
import Glibc

/// The test picture's lettering: a 5x7 dot font whose neighbouring dots are joined by round strokes,
/// so that it is smooth at any size.
///
/// Holds capitals, digits, `.,:;-/+()_` and `x`, which looks like a multiplication sign. Others are blank.
struct TestFont {
  /// Pixels between the dots.
  let pitch: Double
  /// Pixels of one character with the gap behind it.
  let cellWidth: Int
  let cellHeight: Int

  private var cells: [[UInt8]?]

  /// - Parameters:
  ///   - pitch: pixels between dots, at least 1.
  ///   - ink: luma of the strokes.
  ///   - paper: luma between them.
  ///   - characters: all that will be written.
  init(pitch: Double, ink: UInt8, paper: UInt8, characters: String) {
    self.pitch = pitch
    cellWidth = Int(6 * pitch)
    cellHeight = Int((7.4 * pitch).rounded(.up))
    cells = Array(repeating: nil, count: 128)
    for code in characters.utf8 where code < 128 && cells[Int(code)] == nil {
      cells[Int(code)] = draw(Self.dots[code] ?? [], ink: Double(ink), paper: Double(paper))
    }
  }

  /// Writes `text` at a place; what does not fit is left out.
  func write(_ text: String, x: Int, y: Int, into plane: Picture.Plane) {
    guard y >= 0, y + cellHeight <= plane.height else { return }
    var x = x
    for character in text {
      guard x >= 0, x + cellWidth <= plane.width else { return }
      if let cell = character.asciiValue.flatMap({ cells[Int($0)] }) {
        cell.withUnsafeBufferPointer { cell in
          for row in 0..<cellHeight {
            memcpy(
              plane.bytes + (y + row) * plane.stride + x, cell.baseAddress! + row * cellWidth,
              cellWidth)
          }
        }
      }
      x += cellWidth
    }
  }

  private func draw(_ rows: [UInt8], ink: Double, paper: Double) -> [UInt8] {
    var coverage = [Double](repeating: 0, count: cellWidth * cellHeight)
    for stroke in Self.strokes(rows) { add(stroke, to: &coverage) }
    return coverage.map { UInt8((paper + (ink - paper) * $0).rounded()) }
  }

  /// Joins each dot to its neighbours; diagonally only where there is no way round the corner.
  private static func strokes(_ rows: [UInt8]) -> [Stroke] {
    func isSet(_ x: Int, _ y: Int) -> Bool {
      rows.indices.contains(y) && (0..<5).contains(x) && rows[y] >> (4 - x) & 1 == 1
    }
    var strokes: [Stroke] = []
    for y in rows.indices {
      for x in 0..<5 where isSet(x, y) {
        strokes.append(Stroke(x: x, y: y, toX: x, toY: y))
        for (toX, toY) in [(x + 1, y), (x, y + 1)] where isSet(toX, toY) {
          strokes.append(Stroke(x: x, y: y, toX: toX, toY: toY))
        }
        for toX in [x - 1, x + 1] where isSet(toX, y + 1) && !isSet(toX, y) && !isSet(x, y + 1) {
          strokes.append(Stroke(x: x, y: y, toX: toX, toY: y + 1))
        }
      }
    }
    return strokes
  }

  private func add(_ stroke: Stroke, to coverage: inout [Double]) {
    let radius = 0.56 * pitch
    let origin = 0.7 * pitch
    let (x0, y0) = (origin + Double(stroke.x) * pitch, origin + Double(stroke.y) * pitch)
    let (x1, y1) = (origin + Double(stroke.toX) * pitch, origin + Double(stroke.toY) * pitch)
    let (dx, dy) = (x1 - x0, y1 - y0)
    let length = max(dx * dx + dy * dy, 1e-9)
    let left = max(0, Int(min(x0, x1) - radius - 1))
    let right = min(cellWidth - 1, Int(max(x0, x1) + radius + 1))
    let top = max(0, Int(y0 - radius - 1))
    let bottom = min(cellHeight - 1, Int(y1 + radius + 1))
    guard left <= right, top <= bottom else { return }
    for row in top...bottom {
      for column in left...right {
        let (x, y) = (Double(column) + 0.5 - x0, Double(row) + 0.5 - y0)
        let along = min(1, max(0, (x * dx + y * dy) / length))
        let distance = hypot(x - along * dx, y - along * dy)
        let cover = min(1, max(0, radius + 0.5 - distance))
        coverage[row * cellWidth + column] = max(coverage[row * cellWidth + column], cover)
      }
    }
  }

  /// From dot to dot; `toY` is not above `y`.
  private struct Stroke {
    let x: Int
    let y: Int
    let toX: Int
    let toY: Int
  }

  /// Seven rows of five dots a character, the leftmost in bit 4.
  private static let dots: [UInt8: [UInt8]] = {
    let rows: [(Character, [UInt8])] = [
      ("0", [14, 17, 17, 17, 17, 17, 14]), ("1", [4, 12, 4, 4, 4, 4, 14]),
      ("2", [14, 17, 1, 2, 4, 8, 31]), ("3", [14, 17, 1, 6, 1, 17, 14]),
      ("4", [16, 18, 18, 31, 2, 2, 2]), ("5", [31, 16, 30, 1, 1, 17, 14]),
      ("6", [14, 16, 16, 30, 17, 17, 14]), ("7", [31, 1, 2, 4, 8, 8, 8]),
      ("8", [14, 17, 17, 14, 17, 17, 14]), ("9", [14, 17, 17, 15, 1, 1, 14]),
      ("A", [14, 17, 17, 31, 17, 17, 17]), ("B", [30, 17, 17, 30, 17, 17, 30]),
      ("C", [14, 17, 16, 16, 16, 17, 14]), ("D", [30, 17, 17, 17, 17, 17, 30]),
      ("E", [31, 16, 16, 30, 16, 16, 31]), ("F", [31, 16, 16, 30, 16, 16, 16]),
      ("G", [14, 17, 16, 23, 17, 17, 14]), ("H", [17, 17, 17, 31, 17, 17, 17]),
      ("I", [14, 4, 4, 4, 4, 4, 14]), ("J", [7, 2, 2, 2, 2, 18, 12]),
      ("K", [17, 18, 20, 24, 20, 18, 17]), ("L", [16, 16, 16, 16, 16, 16, 31]),
      ("M", [17, 27, 21, 21, 17, 17, 17]), ("N", [17, 17, 25, 21, 19, 17, 17]),
      ("O", [14, 17, 17, 17, 17, 17, 14]), ("P", [30, 17, 17, 30, 16, 16, 16]),
      ("Q", [14, 17, 17, 17, 21, 18, 13]), ("R", [30, 17, 17, 30, 20, 18, 17]),
      ("S", [15, 16, 16, 14, 1, 1, 30]), ("T", [31, 4, 4, 4, 4, 4, 4]),
      ("U", [17, 17, 17, 17, 17, 17, 14]), ("V", [17, 17, 17, 17, 17, 10, 4]),
      ("W", [17, 17, 17, 21, 21, 21, 10]), ("X", [17, 17, 10, 4, 10, 17, 17]),
      ("Y", [17, 17, 17, 10, 4, 4, 4]), ("Z", [31, 1, 2, 4, 8, 16, 31]),
      (".", [0, 0, 0, 0, 0, 0, 4]), (":", [0, 0, 4, 0, 0, 4, 0]),
      ("-", [0, 0, 0, 31, 0, 0, 0]), ("/", [1, 1, 2, 4, 8, 16, 16]),
      (",", [0, 0, 0, 0, 0, 4, 8]), (";", [0, 0, 4, 0, 0, 4, 8]), ("_", [0, 0, 0, 0, 0, 0, 31]),
      ("(", [2, 4, 8, 8, 8, 4, 2]), (")", [8, 4, 2, 2, 2, 4, 8]), ("+", [0, 4, 4, 31, 4, 4, 0]),
      ("x", [0, 0, 17, 10, 4, 10, 17]),
    ]
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.asciiValue!, $1) })
  }()
}
