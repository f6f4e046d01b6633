import BunnyRTMP
import BunnySystem
import Synchronization

/// The connection of the moment, for those who must count its bytes or close it. Any thread.
final class Line: Sendable {
  private struct State {
    var connection: RTMPConnection?
    var bytesBefore: Int64 = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wake = WakeEvent()

  /// - Parameter bytesBefore: what earlier connections sent.
  /// - Returns: False when the line is closed: do not use the connection.
  func begin(_ connection: RTMPConnection, _ bytesBefore: Int64) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.connection = connection
      state.bytesBefore = bytesBefore
      return true
    }
  }

  /// Sent over all connections so far.
  var bytes: Int64 {
    state.withLock { $0.bytesBefore + ($0.connection?.counters.bytesSent ?? 0) }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Waits between two tries; ``close()`` ends it.
  func wait(_ duration: Duration) { wake.wait(until: .now + duration.nanoseconds) }

  /// No more tries; the connection takes its leave within a second.
  func close() {
    let connection = state.withLock { state in
      state.isClosed = true
      return state.connection
    }
    connection?.close()
    wake.signal()
  }
}
