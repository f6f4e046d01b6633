import BunnyRTMP
import BunnySystem
import Synchronization

/// The connections of the moment, for those who must count their bytes, or end them. Any thread.
final class Line: Sendable {
  private struct State {
    var connections: [Failover.LegID: RTMPConnection] = [:]
    var carrier: RTMPConnection?
    var bytesBefore: Int64 = 0
  }

  /// What the publish lane is told.
  let inbox = Inbox()
  private let state = Mutex(State())

  func opened(_ leg: Leg) { state.withLock { $0.connections[leg.id] = leg.connection } }

  func ended(_ id: Failover.LegID) {
    state.withLock { state in
      guard let connection = state.connections.removeValue(forKey: id) else { return }
      state.bytesBefore += connection.counters.bytesSent
      if state.carrier === connection { state.carrier = nil }
    }
  }

  /// This one carries the stream.
  func carries(_ connection: RTMPConnection) { state.withLock { $0.carrier = connection } }

  /// Sent over all connections so far.
  var bytes: Int64 {
    state.withLock { state in
      state.connections.values.reduce(state.bytesBefore) { $0 + $1.counters.bytesSent }
    }
  }

  /// Of the connection that carries the stream.
  var counters: RTMPCounters? { state.withLock { $0.carrier }?.counters }

  /// No more tries: a wait between two ends at once.
  ///
  /// - Parameter abandoning: also connections that no ingest has accepted yet.
  func endTries(abandoning: Bool) { inbox.put(.endTries(abandoning: abandoning)) }

  /// No more tries; connections take their leave within a second.
  func close() { inbox.put(.close) }
}
