public import BunnyRTMP
import BunnySystem
import Synchronization

/// Publishes a feed on a thread of its own, to its end.
/// - Returns: The states gone through.
@discardableResult
public func publish(
  _ feed: any RTMPFeed, to ingest: Ingest, _ options: RTMPConnection.Options = .init()
) async throws -> [RTMPConnectionState] {
  let connection = RTMPConnection(to: ingest, options: options)
  return try await onThread("publish") {
    var states: [RTMPConnectionState] = []
    try connection.publish(feed) { states.append($0) }
    return states
  }
}
