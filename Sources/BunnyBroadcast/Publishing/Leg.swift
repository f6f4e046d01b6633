import BunnyRTMP
import BunnySystem

/// One connection of a broadcast, on a thread of its own, with what it publishes.
final class Leg: Sendable {
  let id: Failover.LegID
  let ingest: Int
  let connection: RTMPConnection

  init(_ id: Failover.LegID, ingest: Int, _ connection: RTMPConnection) {
    self.id = id
    self.ingest = ingest
    self.connection = connection
  }

  /// Runs the connection, and puts what happens into the inbox; its end comes last.
  func start(_ inbox: Inbox, _ line: Line) {
    startThread("publish", turns: .shortest) { [self] in
      defer { line.ended(connection) }
      do throws(RTMPError) {
        try connection.run { event in inbox.put(.event(id, event)) }
        inbox.put(.ended(id, nil))
      } catch {
        inbox.put(.ended(id, error))
      }
    }
  }
}
