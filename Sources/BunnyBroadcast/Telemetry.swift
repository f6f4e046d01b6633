import BunnyMedia
import BunnySystem
import Synchronization

/// What all lanes count into. Any thread.
final class Telemetry: Sendable {
  private let state = Mutex(State())

  func count(_ change: (inout BroadcastTotals) -> Void) {
    state.withLock { change(&$0.totals) }
  }

  /// - Parameter began: since when the broadcast counts as lasting; nil: since now.
  func begin(at now: MonotonicTime, since began: MonotonicTime?) {
    state.withLock { state in
      state.began = began ?? now
      state.last = (now, 0, 0)
      state.phase = .preparing
    }
  }

  /// An ingest has accepted the stream.
  func connected(at now: MonotonicTime) {
    state.withLock { state in
      state.phase = .live
      state.liveSince = now
      state.totals.connections += 1
    }
  }

  func disconnected(at now: MonotonicTime) {
    state.withLock { state in
      if let since = state.liveSince { state.liveNanoseconds += now - since }
      state.liveSince = nil
    }
  }

  /// A tag's last byte is in the socket, with what waits behind it.
  ///
  /// - Parameter serial: its number in the log. What is sent again after a reconnect counts once.
  func published(_ tag: MediaTag, _ serial: Int64, at sent: MonotonicTime) {
    state.withLock { state in
      guard serial > state.newestPublished else { return }
      state.newestPublished = serial
      if tag.kind == .video { state.totals.publishedFrames += 1 }
      guard let trace = tag.trace else { return }
      let handling = Double((trace.encoding - trace.ready) + (sent - trace.logged)) / 1e6
      state.handling.add(milliseconds: handling)
      state.recentHandling.add(milliseconds: handling)
    }
  }

  func waiting(since: MonotonicTime?) { state.withLock { $0.waitingSince = since } }

  /// Bytes that went to ingests up to now.
  func sent(bytes: Int64) { state.withLock { $0.totals.bytes = bytes } }

  /// - Parameter endsPeriod: rates are measured from here on anew.
  func statistics(at now: MonotonicTime, endsPeriod: Bool = false) -> BroadcastStatistics {
    state.withLock { state in
      if endsPeriod { state.endPeriod(at: now) }
      var statistics = BroadcastStatistics()
      statistics.state = state.phase.rawValue
      statistics.elapsedSeconds = state.began.map { Double(now - $0) / 1e9 } ?? 0
      (statistics.framesPerSecond, statistics.bitrate) = state.recent ?? state.rates(at: now)
      statistics.queueAgeMs = state.waitingSince.map { Double(now - $0) / 1e6 } ?? 0
      statistics.handlingP50Ms = state.recentHandling.percentile(0.5)
      statistics.handlingP99Ms = state.recentHandling.percentile(0.99)
      statistics.totals = state.totalsNow(now)
      if endsPeriod { state.recentHandling = Histogram() }
      return statistics
    }
  }

  func end(at now: MonotonicTime) -> BroadcastTotals {
    disconnected(at: now)
    return state.withLock { state in
      state.phase = .idle
      return state.totalsNow(now)
    }
  }
}

private struct State {
  var totals = BroadcastTotals()
  var began: MonotonicTime?
  var phase = BunnyBroadcastState.idle
  var liveSince: MonotonicTime?
  var liveNanoseconds: Int64 = 0
  var handling = Histogram()
  var recentHandling = Histogram()
  var last: (time: MonotonicTime, encoded: Int, bytes: Int64)?
  var recent: (framesPerSecond: Double, bitrate: Double)?  // nil until the first period has ended
  var waitingSince: MonotonicTime?
  var newestPublished: Int64 = -1
}

extension State {
  fileprivate mutating func endPeriod(at now: MonotonicTime) {
    recent = rates(at: now)
    last = (now, totals.encodedFrames, totals.bytes)
  }

  /// Since the last period's end, or the beginning.
  fileprivate func rates(at now: MonotonicTime) -> (framesPerSecond: Double, bitrate: Double) {
    guard let last, now > last.time else { return (0, 0) }
    let seconds = Double(now - last.time) / 1e9
    return (
      Double(totals.encodedFrames - last.encoded) / seconds,
      Double(totals.bytes - last.bytes) * 8 / seconds
    )
  }

  fileprivate func totalsNow(_ now: MonotonicTime) -> BroadcastTotals {
    var totals = totals
    totals.liveSeconds = Double(liveNanoseconds + (liveSince.map { now - $0 } ?? 0)) / 1e9
    totals.handlingP50Ms = handling.percentile(0.5)
    totals.handlingP99Ms = handling.percentile(0.99)
    return totals
  }
}
