/// The word of `candidates` that someone who wrote `word` most likely meant: few letters away, case
/// aside; nil when none is near.
package func nearestWord(to word: String, among candidates: [String]) -> String? {
  let written = Array(word.lowercased())
  let distances = candidates.map { ($0, editDistance(written, Array($0.lowercased()))) }
  guard let (candidate, distance) = distances.min(by: { $0.1 < $1.1 }) else { return nil }
  return distance <= max(1, min(word.count, candidate.count) / 3) ? candidate : nil
}

/// "; did you mean X?", or nothing.
package func didYouMean(_ word: String, among candidates: [String]) -> String {
  nearestWord(to: word, among: candidates).map { "; did you mean \($0)?" } ?? ""
}

/// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var best = min(
        last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        best = min(best, beforeLast[column - 1] + 1)
      }
      current.append(best)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
