package import BunnySystem
package import FoundationEssentials

/// What the server's clock shows, as it was told once: this machine's own may be wrong, as that of a
/// Raspberry Pi is at boot.
package struct ServerClock: Equatable, Sendable {
  private let told: Date
  private let at: MonotonicTime

  /// - Parameter at: when `told` was received.
  package init(_ told: Date, at: MonotonicTime) { (self.told, self.at) = (told, at) }

  package func time(at now: MonotonicTime) -> Date {
    told.addingTimeInterval(Double(now - at) / 1e9)
  }
}
