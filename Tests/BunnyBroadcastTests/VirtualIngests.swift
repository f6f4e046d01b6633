import BunnySystem

/// Bunny's two ingests in virtual time: who sends a stream to which of them, and for how long that is still to be
/// seen when they have gone. A value.
struct VirtualIngests {
  private struct Sender {
    let isOurs: Bool
    let place: Int
    let since: MonotonicTime
    var until: MonotonicTime
    /// Nanoseconds for which its flag stays up.
    let glow: Int64
  }

  /// What is to be seen of a stream.
  struct Sight {
    /// Of the primary and the backup.
    var flags: [Bool]
    /// Nanoseconds.
    var lastPing: Int64?
  }

  private var senders: [String: [Sender]] = [:]

  mutating func come(
    _ stream: String, at place: Int, isOurs: Bool, _ now: MonotonicTime, glow: Int64,
    until: MonotonicTime = .distantFuture
  ) {
    senders[stream, default: []].append(
      Sender(isOurs: isOurs, place: place, since: now, until: until, glow: glow))
  }

  /// We do, or everybody else.
  mutating func leave(_ stream: String, isOurs: Bool = true, _ now: MonotonicTime) {
    for index in senders[stream, default: []].indices where senders[stream]![index].isOurs == isOurs
    {
      senders[stream]![index].until = min(senders[stream]![index].until, now)
    }
  }

  /// - Parameter jitter: how long ago, in nanoseconds, who is there was heard of.
  func sight(of stream: String, _ now: MonotonicTime, jitter: Int64) -> Sight {
    let seen = senders[stream, default: []].filter { now - $0.until < $0.glow || now < $0.until }
    return Sight(
      flags: [0, 1].map { place in seen.contains { $0.place == place } },
      lastPing: seen.map { now < $0.until ? min(jitter, now - $0.since) : now - $0.until }.min())
  }

  /// Since when somebody else sends it, to that ingest or to any; nil: nobody does.
  func stranger(of stream: String, _ now: MonotonicTime, at place: Int? = nil) -> MonotonicTime? {
    senders[stream, default: []]
      .first { !$0.isOurs && now < $0.until && (place == nil || $0.place == place) }?.since
  }

  /// Since when we do without a break; nil: we do not.
  func own(of stream: String, _ now: MonotonicTime) -> MonotonicTime? {
    senders[stream, default: []].last { $0.isOurs && now < $0.until }?.since
  }

  /// Somebody else, or we ourselves, sent anything within so many nanoseconds.
  func hasSeen(
    isOurs: Bool, of stream: String? = nil, _ now: MonotonicTime, within span: Int64
  ) -> Bool {
    senders.contains { id, senders in
      (stream == nil || stream == id)
        && senders.contains { $0.isOurs == isOurs && now - $0.until < span }
    }
  }
}
