import BunnyRTMP
import BunnySystem
import Synchronization

/// The connection of the moment, for those who must count its bytes or close it. Any thread.
final class Line: Sendable {
  private struct State {
    var connection: RTMPConnection?
    var bytesBefore: Int64 = 0
    var isPublishing = false
    var isLastTry = false
  }

  private let state = Mutex(State())
  private let wake = WakeEvent()

  /// - Parameter bytesBefore: what earlier connections sent.
  /// - Returns: False when there is to be no other try: do not use the connection.
  func begin(_ connection: RTMPConnection, _ bytesBefore: Int64) -> Bool {
    state.withLock { state in
      guard !state.isLastTry else { return false }
      state.connection = connection
      state.bytesBefore = bytesBefore
      state.isPublishing = false
      return true
    }
  }

  /// Sent over all connections so far.
  var bytes: Int64 {
    state.withLock { $0.bytesBefore + ($0.connection?.counters.bytesSent ?? 0) }
  }

  /// The connection of the moment was accepted by its ingest.
  func accepted() { state.withLock { $0.isPublishing = true } }

  /// Whether no connection comes after this one.
  var isLastTry: Bool { state.withLock { $0.isLastTry } }

  /// Waits between two tries; returns at once when there is to be none.
  func wait(_ duration: Duration) {
    let deadline = MonotonicTime.now + duration.nanoseconds
    while !isLastTry, wake.wait(until: deadline) {}
  }

  /// No more tries: a wait between two ends at once.
  ///
  /// - Parameter abandoning: also a connection that no ingest has accepted yet.
  func endTries(abandoning: Bool) {
    let connection = state.withLock { state in
      state.isLastTry = true
      return abandoning && !state.isPublishing ? state.connection : nil
    }
    connection?.close()
    wake.signal()
  }

  /// No more tries; the connection takes its leave within a second.
  func close() {
    let connection = state.withLock { state in
      state.isLastTry = true
      return state.connection
    }
    connection?.close()
    wake.signal()
  }
}
