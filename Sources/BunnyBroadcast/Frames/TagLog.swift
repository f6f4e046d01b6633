package import BunnyMedia
package import BunnySystem
import Synchronization

/// The broadcast's one log of media tags: appended to in dts order, bounded, read by any number of
/// consumers, each at its own pace.
package final class TagLog: Sendable {
  /// How much it keeps for consumers that are behind: whichever is reached first.
  package struct Bound: Sendable {
    /// Milliseconds of media.
    package var milliseconds: Int64 = 12_000
    package var bytes = 16 << 20

    package init() {}
  }

  private let state: Mutex<State>

  package init(bound: Bound = Bound()) { state = Mutex(State(bound: bound)) }

  /// Adds tags, in dts order, and wakes all consumers.
  ///
  /// - Parameter next: gives the next of them; nil: there are no more.
  package func append(_ next: () -> MediaTag?) {
    let wakes = state.withLock { state in
      let end = state.end
      while let tag = next() { state.append(tag) }
      return state.end > end ? state.wakes : []
    }
    for wake in wakes { wake.signal() }
  }

  /// Nothing follows.
  package func finish() {
    let wakes = state.withLock { state in
      state.isFinished = true
      return state.wakes
    }
    for wake in wakes { wake.signal() }
  }

  /// A new consumer, which begins with the oldest keyframe that is kept.
  ///
  /// - Parameter longestLag: milliseconds of media it may be behind before it jumps ahead to a
  ///   keyframe.
  package func cursor(longestLag: Int64 = Bound().milliseconds) -> Cursor {
    let wake = WakeEvent()
    let serial = state.withLock { state in
      state.wakes.append(wake)
      return state.first
    }
    return Cursor(log: self, wake: wake, longestLag: longestLag, at: serial)
  }

  fileprivate func read(at serial: Int64, longestLag: Int64, needsKeyframe: Bool) -> Entry? {
    state.withLock { $0.read(at: serial, longestLag: longestLag, needsKeyframe: needsKeyframe) }
  }

  fileprivate func isFinished(at serial: Int64) -> Bool {
    state.withLock { $0.isFinished && serial >= $0.end }
  }

  fileprivate func keyframe(before serial: Int64) -> Entry? {
    state.withLock { $0.keyframe(before: serial) }
  }

  /// The number that the next tag will have.
  package var end: Int64 { state.withLock { $0.end } }

  /// The first keyframe with this number or a later one.
  package func keyframe(from serial: Int64) -> Int64? {
    state.withLock { $0.keyframe(from: serial)?.serial }
  }

  /// What a new session must be sent first, so that decoders can go on with tag `serial`: the video from
  /// the keyframe before it. Nil when that keyframe is not kept any more, or there is none.
  ///
  /// - Returns: those tags, and the dts of tag `serial` itself; of the end of the log, that of its last
  ///   tag, since the next may have the same.
  package func preamble(to serial: Int64) -> (video: [MediaTag], splice: Int64)? {
    state.withLock { state in
      guard let last = state[state.end - 1], serial >= state.first else { return nil }
      let splice = state[serial]?.tag.dts ?? last.tag.dts
      guard let keyframe = state.keyframe(before: serial) else { return nil }
      let video = (keyframe.serial..<min(serial, state.end)).compactMap { state[$0]?.tag }
        .filter { $0.kind == .video }
      return (video, splice)
    }
  }

  /// The first tag, no later than `serial`, of the last `milliseconds` before it.
  package func margin(of milliseconds: Int64, before serial: Int64) -> Int64 {
    state.withLock { state in
      guard let dts = state[min(serial, state.end - 1)]?.tag.dts else { return serial }
      return (state.first..<max(state.first, min(serial, state.end))).first {
        state[$0].map { $0.tag.dts >= dts - milliseconds } ?? false
      } ?? serial
    }
  }

  /// How many video frames came before tag `serial`; of one that is not kept any more, before the
  /// oldest that is. Nil when none is kept.
  package func frame(at serial: Int64) -> Int64? {
    state.withLock { $0.frame(at: serial) }
  }

  fileprivate func logged(at serial: Int64) -> MonotonicTime? {
    state.withLock { $0.logged(at: serial) }
  }

  fileprivate func remove(_ wake: WakeEvent) {
    state.withLock { state in state.wakes.removeAll { $0 === wake } }
  }

  /// One consumer's place in the log. Belongs to one thread.
  package final class Cursor: @unchecked Sendable {  // read and moved by its consumer's thread only
    /// Signalled when there may be more to read.
    package let wake: WakeEvent
    private let log: TagLog
    private let longestLag: Int64
    private var serial: Int64
    /// How many video frames came before what is read next, of all of the broadcast.
    package private(set) var nextFrame: Int64 = 0
    private var needsKeyframe = true
    /// Video frames that this consumer was too slow for, since the beginning.
    package private(set) var droppedFrames: Int64 = 0

    fileprivate init(log: TagLog, wake: WakeEvent, longestLag: Int64, at serial: Int64) {
      self.log = log
      self.wake = wake
      self.longestLag = longestLag
      self.serial = serial
    }
    deinit { log.remove(wake) }

    /// The next tag and its number in the log; nil when there is none yet.
    package func next() -> (tag: MediaTag, serial: Int64)? {
      guard
        let entry = log.read(at: serial, longestLag: longestLag, needsKeyframe: needsKeyframe)
      else { return nil }
      droppedFrames += max(0, entry.frame - nextFrame)
      serial = entry.serial + 1
      nextFrame = max(nextFrame, entry.frame + (entry.tag.kind == .video ? 1 : 0))
      needsKeyframe = false
      return (entry.tag, entry.serial)
    }

    /// The number of the tag that is read next.
    package var position: Int64 { serial }

    /// Reads on from tag `serial`, whose predecessors a decoder has.
    ///
    /// - Parameter frame: how many video frames came before it, by the log when it still had it; so that
    ///   those that it has lost since are counted as dropped.
    package func resume(at serial: Int64, frame: Int64? = nil) {
      self.serial = serial
      needsKeyframe = false
      nextFrame = frame ?? log.frame(at: serial) ?? nextFrame
    }

    /// Reads on from the first keyframe from tag `serial` on. What lies between is lost.
    package func skip(to serial: Int64, frame: Int64? = nil) {
      resume(at: serial, frame: frame)
      needsKeyframe = true
    }

    /// Whether the broadcast is over and all of it was read.
    package var isFinished: Bool { log.isFinished(at: serial) }

    /// Since when the next tag has been waiting to be read; nil when none has.
    package var waitingSince: MonotonicTime? { log.logged(at: serial) }

    /// Goes back so that a new session can begin: to the keyframe that tag `serial` needs, or the
    /// next unread one.
    package func rewind(before serial: Int64?) {
      needsKeyframe = true
      // What was sent before is sent again, and not dropped should the log lose it meanwhile.
      if let unsent = serial.flatMap({ log.frame(at: $0) }) { nextFrame = min(nextFrame, unsent) }
      guard let keyframe = log.keyframe(before: serial ?? self.serial) else { return }
      self.serial = keyframe.serial
    }
  }
}

/// A tag in the log.
private struct Entry {
  let tag: MediaTag
  let logged: MonotonicTime
  /// Its number among all tags of the broadcast.
  let serial: Int64
  /// How many video frames came before it.
  let frame: Int64
}

private struct State {
  let bound: TagLog.Bound
  var wakes: [WakeEvent] = []
  var isFinished = false
  private var entries: [Entry?] = []  // those before `head` are nil, so that their bytes are freed
  private var head = 0
  private var bytes = 0
  private var frames: Int64 = 0
  /// The number that the next tag will have.
  private(set) var end: Int64 = 0
  /// The number of the oldest tag that is kept.
  var first: Int64 { end - Int64(entries.count - head) }

  init(bound: TagLog.Bound) { self.bound = bound }

  mutating func append(_ tag: MediaTag) {
    var tag = tag
    let now = MonotonicTime.now
    tag.trace?.logged = now
    entries.append(Entry(tag: tag, logged: now, serial: end, frame: frames))
    end += 1
    if tag.kind == .video { frames += 1 }
    bytes += tag.body.count
    while end - first > 1, let oldest = entries[head]?.tag,
      tag.dts - oldest.dts > bound.milliseconds || bytes > bound.bytes
    {
      bytes -= oldest.body.count
      entries[head] = nil
      head += 1
    }
    if head > 1024 {
      entries.removeFirst(head)
      head = 0
    }
  }

  func read(at wanted: Int64, longestLag: Int64, needsKeyframe: Bool) -> Entry? {
    guard end > first else { return nil }
    let serial = max(wanted, first)
    guard let entry = self[serial], let newest = self[end - 1] else { return nil }
    let isBehind = newest.tag.dts - entry.tag.dts > longestLag
    // A frame whose predecessors are missing cannot be decoded: go on with a keyframe.
    guard serial > wanted || isBehind || needsKeyframe else { return entry }
    let earliest = isBehind ? newest.tag.dts - longestLag : .min
    return (serial..<end).lazy.compactMap { self[$0] }.first {
      $0.tag.isVideoKeyframe && $0.tag.dts >= earliest
    }
  }

  func keyframe(before serial: Int64) -> Entry? {
    (first..<max(first, min(serial + 1, end))).lazy.compactMap { self[$0] }.last {
      $0.tag.isVideoKeyframe
    }
  }

  func keyframe(from serial: Int64) -> Entry? {
    (max(first, serial)..<max(first, serial, end)).lazy.compactMap { self[$0] }.first {
      $0.tag.isVideoKeyframe
    }
  }

  func frame(at serial: Int64) -> Int64? {
    // Of one that is lost, the oldest that is kept; of one to come, the next.
    serial >= end ? frames : self[max(serial, first)]?.frame
  }

  func logged(at serial: Int64) -> MonotonicTime? { self[max(serial, first)]?.logged }

  subscript(serial: Int64) -> Entry? {
    serial >= first && serial < end ? entries[head + Int(serial - first)] : nil
  }
}

extension MediaTag {
  fileprivate var isVideoKeyframe: Bool { kind == .video && isKeyframe }
}
