import BunnyRTMP
import BunnySystem
import Synchronization

/// The connections of the moment, for those who must count their bytes, or end them. Any thread.
final class Line: Sendable {
  private struct State {
    var connections: [ObjectIdentifier: RTMPConnection] = [:]
    /// By publish lane.
    var carriers: [Int: Carrier] = [:]
    var carriersSoFar = 0
    var bytesBefore: Int64 = 0
    var confirmedBefore: Int64 = 0
  }

  /// The connection that carries the stream for a publish lane.
  struct Carrier: Sendable {
    /// Another one for each, from 1.
    let number: Int
    let connection: RTMPConnection
  }

  /// What its connections have moved.
  struct Moved: Sendable {
    /// Over all connections so far, in bytes.
    var sent: Int64 = 0
    var confirmed: Int64 = 0
    /// Of the connection that carries the stream.
    var roundTrip: Duration?
    var kernelQueue = 0
  }

  /// What each publish lane is told.
  let inboxes: [Inbox]
  private let state = Mutex(State())

  /// - Parameter lanes: how many publish at once.
  init(lanes: Int) { inboxes = (0..<lanes).map { _ in Inbox() } }

  func opened(_ connection: RTMPConnection) {
    state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
  }

  func ended(_ connection: RTMPConnection) {
    state.withLock { state in
      guard state.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else {
        return
      }
      state.bytesBefore += connection.counters.bytesSent
      state.confirmedBefore += connection.counters.bytesConfirmed
      state.carriers = state.carriers.filter { $0.value.connection !== connection }
    }
  }

  /// This one carries the stream from now on.
  func carries(_ connection: RTMPConnection, lane: Int) {
    state.withLock { state in
      state.carriersSoFar += 1
      state.carriers[lane] = Carrier(number: state.carriersSoFar, connection: connection)
    }
  }

  /// nil: none.
  func carrier(lane: Int) -> Carrier? { state.withLock { $0.carriers[lane] } }

  var moved: Moved {
    state.withLock { state in
      let all = state.connections.values.map(\.counters)
      let carrier = state.carriers.values.max { $0.number < $1.number }?.connection.counters
      return Moved(
        sent: all.reduce(state.bytesBefore) { $0 + $1.bytesSent },
        confirmed: all.reduce(state.confirmedBefore) { $0 + $1.bytesConfirmed },
        roundTrip: carrier?.roundTrip, kernelQueue: carrier?.kernelQueueBytes ?? 0)
    }
  }

  /// Other ingests for each lane, or another key.
  func publish(to targets: [[Ingest]]) {
    for (inbox, ingests) in zip(inboxes, targets) { inbox.put(.ingests(ingests)) }
  }

  /// No more tries: a wait between two ends at once.
  ///
  /// - Parameter abandoning: also connections that no ingest has accepted yet.
  func endTries(abandoning: Bool) {
    for inbox in inboxes { inbox.put(.endTries(abandoning: abandoning)) }
  }

  /// No more tries; connections take their leave within a second.
  func close() { for inbox in inboxes { inbox.put(.close) } }

  /// What somebody else knows of an ingest, 0 or 1: whether it has the stream. Of no use where each lane
  /// has but one.
  func told(ingest: Int, isLive: Bool) {
    if inboxes.count == 1 { inboxes[0].put(.input(.told(ingest: ingest, isLive: isLive))) }
  }
}
