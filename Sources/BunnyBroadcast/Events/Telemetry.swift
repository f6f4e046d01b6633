import BunnyMedia
package import BunnySystem
import Synchronization

/// What all lanes count into. Any thread.
package final class Telemetry: Sendable {
  private let state = Mutex(State())

  /// - Parameter lanes: publish lanes, each with an ingest of its own at a time.
  package init(lanes: Int) {
    state.withLock { $0.lanes = Array(repeating: State.Lane(), count: lanes) }
  }

  func count(_ change: (inout BroadcastTotals) -> Void) {
    state.withLock { change(&$0.totals) }
  }

  /// A frame was encoded.
  func encodedFrame(at now: MonotonicTime = .now) {
    state.withLock { state in
      state.totals.encodedFrames += 1
      state.firstEncoded = state.firstEncoded ?? now
    }
  }

  /// - Parameter brightness: of the source's picture, from 0 to 1.
  func saw(brightness: Double) { state.withLock { $0.brightness = brightness } }

  /// The source has delivered sound.
  func heard(_ loudness: Loudness) { state.withLock { $0.sound.add(loudness) } }

  /// - Parameter began: since when the broadcast counts as lasting; nil: since now.
  func begin(at now: MonotonicTime, since began: MonotonicTime?) {
    state.withLock { state in
      state.began = began ?? now
      state.last = State.Mark(time: now)
      state.phase = .preparing
    }
  }

  /// An ingest has accepted the stream, once.
  var hasBeenLive: Bool { state.withLock { $0.totals.connections > 0 } }

  /// A tag's last byte is in the socket, with what waits behind it.
  ///
  /// - Parameter serial: its number in the log. What is sent again after a reconnect counts once.
  fileprivate func published(
    _ tag: MediaTag, _ serial: Int64, by lane: Int, at sent: MonotonicTime
  ) {
    state.withLock { state in
      state.lanes[lane].published(tag, serial)
      guard serial > state.newestPublished else { return }
      state.newestPublished = serial
      if tag.kind == .video { state.totals.publishedFrames += 1 }
      guard let trace = tag.trace else { return }
      let handling = Double((trace.encoding - trace.ready) + (sent - trace.logged)) / 1e6
      state.handling.add(milliseconds: handling)
      state.recentHandling.add(milliseconds: handling)
      state.recentLatency.add(milliseconds: Double(sent - trace.captured) / 1e6)
    }
  }

  /// What connections have moved up to now.
  func moved(_ moved: Line.Moved) {
    state.withLock { state in
      state.moved = moved
      state.totals.bytes = moved.sent
    }
  }

  /// For how long a lane's oldest tag that is not sent has waited, in nanoseconds; nil: no ingest carries
  /// its stream.
  func queueAge(lane: Int, at now: MonotonicTime) -> Int64? {
    state.withLock { state in
      guard state.lanes[lane].isCarried else { return nil }
      return state.lanes[lane].waitingSince.map { now - $0 } ?? 0
    }
  }

  /// What the picture is encoded to, and why.
  func aims(at bitrate: Int, because reason: String?) {
    state.withLock { $0.target = (bitrate, reason) }
  }

  /// - Parameter encoding: nil: the picture is not encoded, but passed through.
  func encodes(_ encoding: EncodingInUse?) { state.withLock { $0.encoding = encoding } }

  /// - Parameter endsPeriod: rates are measured from here on anew.
  package func statistics(at now: MonotonicTime, endsPeriod: Bool = false) -> BroadcastStatistics {
    state.withLock { state in
      if endsPeriod { state.endPeriod(at: now) }
      var statistics = BroadcastStatistics()
      statistics.state = state.phase.rawValue
      statistics.elapsedSeconds = state.began.map { Double(now - $0) / 1e9 } ?? 0
      let rates = state.recent ?? state.rates(at: now)
      statistics.framesPerSecond = rates.frames
      statistics.bitrate = rates.sent * 8
      statistics.confirmedBitrate = rates.confirmed * 8
      statistics.roundTripMs = state.moved.roundTrip.map { Double($0.nanoseconds) / 1e6 }
      statistics.kernelQueueBytes = state.moved.kernelQueue
      (statistics.targetBitrate, statistics.targetReason) = state.target
      statistics.encoding = state.encoding
      statistics.queueAgeMs = Double(state.queueAge(at: now)) / 1e6
      statistics.handlingP50Ms = state.recentHandling.percentile(0.5)
      statistics.handlingP99Ms = state.recentHandling.percentile(0.99)
      statistics.latencyP50Ms = state.recentLatency.percentile(0.5)
      statistics.latencyP99Ms = state.recentLatency.percentile(0.99)
      let sound = state.recentSound ?? state.sound
      (statistics.left, statistics.right) = (sound.left, sound.right)
      statistics.brightness = state.brightness
      statistics.totals = state.totalsNow(now)
      if endsPeriod { (state.recentHandling, state.recentLatency) = (Histogram(), Histogram()) }
      return statistics
    }
  }

  /// Nothing is sent any more.
  ///
  /// - Returns: how many encoded frames are left over.
  func endSending() -> Int {
    state.withLock { state in
      let known = state.totals.publishedFrames + state.droppedFrames
      state.unsentFrames = max(0, state.totals.encodedFrames - known)
      return state.unsentFrames
    }
  }

  func end(at now: MonotonicTime) -> BroadcastTotals {
    state.withLock { state in
      state.endLive(at: now)
      state.phase = .idle
      return state.totalsNow(now)
    }
  }
}

/// What one publish lane counts into. Any thread.
package struct LaneTelemetry: Sendable {
  let whole: Telemetry
  let lane: Int

  package init(whole: Telemetry, lane: Int) {
    self.whole = whole
    self.lane = lane
  }

  /// An ingest has accepted the stream.
  func connected(at now: MonotonicTime) { whole.connected(lane, at: now) }

  /// The one that had accepted it does not carry it any more.
  func disconnected(at now: MonotonicTime) { whole.disconnected(lane, at: now) }

  /// - Parameter since: when the oldest tag that is not sent was made; nil: all are sent.
  func waiting(since: MonotonicTime?) { whole.change(lane) { $0.waitingSince = since } }

  func published(_ tag: MediaTag, _ serial: Int64, at sent: MonotonicTime) {
    whole.published(tag, serial, by: lane, at: sent)
  }

  func dropped(_ frames: Int) { whole.change(lane) { $0.droppedFrames += frames } }
}

extension Telemetry {
  fileprivate func change(_ lane: Int, _ change: (inout State.Lane) -> Void) {
    state.withLock { change(&$0.lanes[lane]) }
  }

  fileprivate func connected(_ lane: Int, at now: MonotonicTime) {
    state.withLock { state in
      state.phase = .live
      state.liveSince = state.liveSince ?? now
      state.lanes[lane].isCarried = true
      state.totals.connections += 1
    }
  }

  fileprivate func disconnected(_ lane: Int, at now: MonotonicTime) {
    state.withLock { state in
      state.lanes[lane].isCarried = false
      guard !state.lanes.contains(where: \.isCarried) else { return }
      state.endLive(at: now)
      state.deadSince = state.lanes[lane].waitingSince ?? now
    }
  }
}

private struct State {
  var totals = BroadcastTotals()
  var began: MonotonicTime?
  var phase = MediaState.idle
  var liveSince: MonotonicTime?
  /// Since when nobody takes what comes, once somebody did.
  var deadSince: MonotonicTime?
  var firstEncoded: MonotonicTime?
  var liveNanoseconds: Int64 = 0
  var handling = Histogram()
  var recentHandling = Histogram()
  /// From capture to socket.
  var recentLatency = Histogram()
  var last: Mark?
  var recent: Rates?  // nil until the first period has ended
  /// Since the last period's end.
  var sound = Loudness()
  var recentSound: Loudness?  // nil until the first period has ended
  var brightness: Double?
  var target: (bitrate: Int, reason: String?) = (0, nil)
  var encoding: EncodingInUse?
  var moved = Line.Moved()
  var lanes: [Lane] = []
  var unsentFrames = 0
  var newestPublished: Int64 = -1

  struct Lane {
    var isCarried = false
    var publishedFrames = 0
    private var newestPublished: Int64 = -1
    var waitingSince: MonotonicTime?
    var droppedFrames = 0

    mutating func published(_ tag: MediaTag, _ serial: Int64) {
      guard serial > newestPublished else { return }
      newestPublished = serial
      if tag.kind == .video { publishedFrames += 1 }
    }
  }

  /// The counts at the end of a period.
  struct Mark {
    let time: MonotonicTime
    var encoded = 0
    var moved = Line.Moved()
  }

  /// A second.
  struct Rates {
    var frames = 0.0
    var sent = 0.0
    var confirmed = 0.0
  }
}

extension State {
  fileprivate mutating func endLive(at now: MonotonicTime) {
    if let since = liveSince { liveNanoseconds += now - since }
    liveSince = nil
  }

  /// Of two lanes, viewers are shown the one that is less behind.
  fileprivate func queueAge(at now: MonotonicTime) -> Int64 {
    let carried = lanes.filter(\.isCarried)
    // What is older is not kept.
    let most = TagLog.Bound().milliseconds * .milliseconds(1)
    if carried.isEmpty { return (deadSince ?? firstEncoded).map { min(now - $0, most) } ?? 0 }
    return carried.map { $0.waitingSince.map { now - $0 } ?? 0 }.min() ?? 0
  }

  fileprivate mutating func endPeriod(at now: MonotonicTime) {
    recent = rates(at: now)
    (recentSound, sound) = (sound, Loudness())
    last = Mark(time: now, encoded: totals.encodedFrames, moved: moved)
  }

  /// Of two lanes, those of the one that lost fewer; one that nobody carries loses all meanwhile.
  fileprivate var droppedFrames: Int {
    let isCarried = lanes.contains(where: \.isCarried)
    return lanes.map { lane in
      guard isCarried, !lane.isCarried else { return lane.droppedFrames }
      return max(lane.droppedFrames, totals.encodedFrames - lane.publishedFrames)
    }.min() ?? 0
  }

  /// Since the last period's end, or the beginning.
  fileprivate func rates(at now: MonotonicTime) -> Rates {
    guard let last, now > last.time else { return Rates() }
    let seconds = Double(now - last.time) / 1e9
    return Rates(
      frames: Double(totals.encodedFrames - last.encoded) / seconds,
      sent: Double(moved.sent - last.moved.sent) / seconds,
      confirmed: Double(moved.confirmed - last.moved.confirmed) / seconds)
  }

  fileprivate func totalsNow(_ now: MonotonicTime) -> BroadcastTotals {
    var totals = totals
    totals.droppedFrames = droppedFrames + unsentFrames
    totals.liveSeconds = Double(liveNanoseconds + (liveSince.map { now - $0 } ?? 0)) / 1e9
    totals.handlingP50Ms = handling.percentile(0.5)
    totals.handlingP99Ms = handling.percentile(0.99)
    return totals
  }
}
