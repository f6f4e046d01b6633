package import BunnyMedia
import BunnySystem

/// Makes an input give up that delivers nothing for some time.
package struct StallGuard: Sendable {
  /// What to open the input with.
  package let interrupter: Interrupter
  private let limit: Int64?

  private let outer: Interrupter

  /// - Parameters:
  ///   - outer: makes the input give up too.
  ///   - limit: nanoseconds; nil waits for ever, as for a file of this machine.
  package init(within outer: Interrupter, after limit: Int64?) {
    self.outer = outer
    interrupter = Interrupter(within: outer)
    self.limit = limit
    begin()
  }

  /// One for another try, which has not fired.
  package func renewed() -> StallGuard { StallGuard(within: outer, after: limit) }

  /// From now on something is waited for.
  package func begin() {
    if let limit { interrupter.interrupt(at: .now + limit) }
  }

  /// It was this guard that interrupted the input.
  package var hasFired: Bool { interrupter.hasExpired }

  /// Why it did.
  package var words: String {
    let tenths = (limit ?? 0) / .milliseconds(100)
    return "nothing came for \(tenths / 10)" + (tenths % 10 == 0 ? " s" : ".\(tenths % 10) s")
  }
}
