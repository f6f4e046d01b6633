import BunnyMedia
import BunnyRTMP
import BunnySystem

/// The path of a tag, from the log to an ingest, over as many connections as it takes.
///
/// Belongs to one thread. Returns when the broadcast is over and all of it was sent, or could not be
/// in the time there was.
struct PublishLane {
  let configuration: BroadcastConfiguration
  let cursor: TagLog.Cursor
  /// Metadata and sequence headers, for the beginning of each connection.
  let headers: [RTMPTag]
  let line: Line
  let telemetry: Telemetry
  let events: EventHub

  /// - Throws: Why there is to be no other try; or why no ingest has ever accepted the stream.
  func run() throws(RTMPError) {
    var backoff = Backoff()
    var bytesBefore: Int64 = 0
    let began = MonotonicTime.now
    var lastFailure: RTMPError?
    while true {
      let connection = RTMPConnection(
        to: configuration.ingest, options: RTMPConnection.Options(configuration))
      guard line.begin(connection, bytesBefore) else { break }
      let feed = TagFeed(cursor, headers: headers, telemetry: telemetry) { frames in
        telemetry.count { $0.droppedFrames += frames }
        events.send(.dropped(frames: frames, reason: "the ingest was too far behind"))
      }
      do {
        try publish(feed, over: connection, &backoff)
        break
      } catch {
        lastFailure = error
        bytesBefore += connection.counters.bytesSent
        try pause(after: error, feed, &backoff)
      }
    }
    guard !hasBeenLive else { return }
    let waited = Double(MonotonicTime.now - began) / 1e9
    throw lastFailure
      ?? RTMPError(.timedOut(.publish, seconds: waited), at: configuration.ingest)
  }

  private var hasBeenLive: Bool { telemetry.statistics(at: .now).totals.connections > 0 }

  private func publish(
    _ feed: TagFeed, over connection: RTMPConnection, _ backoff: inout Backoff
  ) throws(RTMPError) {
    var acceptedAt: MonotonicTime?
    defer {
      telemetry.disconnected(at: .now)
      if let acceptedAt { backoff.published(for: .now - acceptedAt) }
    }
    let hadBeenLive = hasBeenLive
    try connection.publish(feed) { state in
      events.send(.connection(connection.ingest, state))
      guard state == .publishing else { return }
      acceptedAt = .now
      line.accepted()
      telemetry.connected(at: .now)
      events.send(hadBeenLive ? .reconnected(connection.ingest) : .started(connection.ingest))
    }
  }

  /// Says what happened, and waits as long as the rule says.
  ///
  /// - Throws: `error` itself when there is to be no other try.
  private func pause(
    after error: RTMPError, _ feed: TagFeed, _ backoff: inout Backoff
  ) throws(RTMPError) {
    if error.category == .lost {
      events.send(.lost(error.ingest, reason: error.description))
    }
    // A key that has been accepted before is right: its refusal may pass.
    let mayPass = error.isRetryable || hasBeenLive
    guard configuration.retry == .always, mayPass else { throw error }
    guard !line.isLastTry else { return }
    cursor.rewind(before: feed.oldestUnsent)
    telemetry.waiting(since: cursor.waitingSince)
    let wait = backoff.failed(chance: .random(in: 0...1))
    events.send(
      .reconnecting(
        attempt: backoff.failures, usingBackup: false, after: wait, reason: error.description))
    line.wait(wait)
  }
}

extension RTMPConnection.Options {
  init(_ configuration: BroadcastConfiguration) {
    self.init()
    timestampBase = configuration.timestampBase
    tls = configuration.tlsTrust
  }
}

extension Duration {
  /// Rounded down.
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
