/// A broadcast, whether it knows of Bunny (``LiveBroadcast``) or not (``Broadcast``). Any thread.
public protocol Broadcasting: Sendable {
  /// A stream of its own for each caller; see ``Broadcast/events()``.
  func events() -> AsyncStream<BunnyBroadcastEvent>

  /// Broadcasts until it is ended. May be called once.
  func run() async throws(BroadcastError) -> BroadcastTotals

  /// Ends the broadcast. A live stream of Bunny's is left running.
  func stop(reason: String)

  /// Whether silence is sent instead of sound.
  var isMuted: Bool { get nonmutating set }

  /// Goes on to the next of several cameras, without waiting for it: it is on air with its first picture,
  /// and ``BunnyBroadcastEvent/cameraChanged(source:)`` says so, or
  /// ``BunnyBroadcastEvent/cameraNotChanged(source:reason:)``. Where there is one only, and before its
  /// sources are open, it does nothing.
  func rotateCamera()

  /// How it does now.
  var statistics: BroadcastStatistics { get }
}

extension Broadcast: Broadcasting {}
