/// Bit rate of each second, and of the emptiest and fullest 5 s. Memory: 8 bytes a second.
package struct BitrateMeter {
  /// bit/s; the last may be of a second that is not over.
  package private(set) var perSecond: [Int] = []
  /// bit/s over 5 s that lie wholly within what was added; nil before there are any.
  package private(set) var lowest: Int?
  package private(set) var highest: Int?

  private static let windowSeconds = 5
  private static let stepsASecond = 10
  /// Bits of each tenth of a second of the window.
  private var window = [Int](repeating: 0, count: windowSeconds * stepsASecond)
  private var step = 0
  private var first: Double?

  package init() {}

  /// - Parameter time: seconds; one before the last one's counts as the last one's.
  package mutating func add(bytes: Int, at time: Double) {
    let start = first ?? time
    first = start
    let steps = (time - start) * Double(Self.stepsASecond) + 1e-6
    // A leap of hours (a broken timestamp) is not filled second by second.
    guard steps < Double(step + 86_400 * Self.stepsASecond) else { return }
    let now = max(step, Int(max(0, steps)))
    while step < now { closeStep() }
    while perSecond.count <= step / Self.stepsASecond { perSecond.append(0) }
    perSecond[step / Self.stepsASecond] += bytes * 8
    window[step % window.count] += bytes * 8
  }

  private mutating func closeStep() {
    step += 1
    if step >= window.count {
      let rate = window.reduce(0, +) / Self.windowSeconds
      lowest = min(lowest ?? rate, rate)
      highest = max(highest ?? rate, rate)
    }
    window[step % window.count] = 0
  }
}
