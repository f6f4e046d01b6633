public import BunnySystem
public import FoundationEssentials

/// An event with what a log wants to know of it.
public struct BunnyBroadcastRecord: Sendable, Equatable {
  /// The broadcast that it belongs to: another one after each start. Before the first start, one of zeros.
  public let broadcast: UUID
  /// Counts the records of a controller from 1 on: a gap is what a listener that was too slow has missed.
  public let number: Int
  /// When, by the wall clock, which may step.
  public let date: Date
  /// When, by the clock that never steps.
  public let time: MonotonicTime
  /// What happened.
  public let event: BunnyBroadcastEvent

  /// What happened, as a sentence in English to be shown. Holds no secret.
  public var words: String { LogText.of(event).sentence }
}
