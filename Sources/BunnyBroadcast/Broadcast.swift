/// One broadcast, from its sources to an ingest.
///
/// Everything here may be called from any thread; media runs on threads of its own.
public final class Broadcast: Sendable {
  public let configuration: BroadcastConfiguration

  /// - Precondition: the configuration's quality is valid (`BroadcastQuality.validate()`).
  public init(_ configuration: BroadcastConfiguration) { self.configuration = configuration }

  /// A stream of its own for each caller: what happens from now on, the newest 256 kept, finished
  /// after ``BunnyBroadcastEvent/ended(_:reason:)``.
  public func events() -> AsyncStream<BunnyBroadcastEvent> { AsyncStream { $0.finish() } }

  /// Broadcasts until ``stop()``, or for the configured duration. May be called once.
  ///
  /// - Returns: The totals.
  /// - Throws: ``BroadcastError``; the totals are in the `ended` event.
  public func run() async throws(BroadcastError) -> BroadcastTotals { BroadcastTotals() }

  /// Ends the broadcast: media stops, the ingest is told, ``run()`` returns within a second or so.
  public func stop(reason: String = "asked to") {}

  /// Whether silence is sent instead of sound.
  public var isMuted: Bool {
    get { false }
    set {}
  }

  /// How it does now.
  public var statistics: BroadcastStatistics { BroadcastStatistics() }
}
