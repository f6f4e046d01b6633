/// Where a live stream is in its life: created or scheduled, then preview once an encoder publishes,
/// running after a start, ended after a stop. One stream is one broadcast: it never runs again.
public enum BunnyLiveStreamStatus: Int, Equatable, Hashable, Sendable, CaseIterable {
  /// Not told, or a number that this version does not know.
  case unknown = 0
  /// Waits for its encoder; has no start time.
  case created = 1
  /// Has a start time in the future.
  case scheduled = 2
  /// An encoder publishes; viewers do not see it yet.
  case preview = 3
  /// Live: viewers see it.
  case running = 4
  /// Over: cannot be published to or started again.
  case ended = 5
  /// Over, and being made into a recording.
  case vodProcessing = 6
  /// Failed, as Bunny judges it.
  case error = 7

  /// Never fails: other numbers are ``unknown``.
  public init(rawValue: Int) {
    self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown
  }
}
