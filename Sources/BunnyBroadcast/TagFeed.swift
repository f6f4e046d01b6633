import BunnyMedia
import BunnyRTMP
import BunnySystem
import Synchronization

/// The tag log as one RTMP session sees it. What it says of itself may be asked from any thread; the
/// rest belongs to the session's thread.
final class TagFeed: RTMPFeed, @unchecked Sendable {  // see above; what is asked is under a lock
  /// Where a session begins.
  enum Beginning: Sendable {
    /// With the oldest keyframe that is kept.
    case oldest
    /// With the first tag that is not known to have arrived elsewhere.
    case replay(BroadcastConfiguration.Replay, Undelivered)
    /// With the first keyframe that is logged once the session is there.
    case handover(KeyframeHandover)
  }

  /// The first tag that is not known to have arrived, and how many video frames came before it.
  struct Undelivered: Sendable {
    let serial: Int64
    let frame: Int64?
  }

  /// What a session needs of the log and of what surrounds it.
  struct Surroundings: Sendable {
    let log: TagLog
    let headers: [RTMPTag]
    let telemetry: LaneTelemetry
    let events: EventHub
    let stallLimit: Int64
    /// Milliseconds of a GOP.
    let gop: Int64
    /// A keyframe is wanted of the encoder, soon.
    let wantsKeyframe: Flag

    /// Frames had to be left out.
    func dropped(_ frames: Int, because reason: String) {
      telemetry.dropped(frames)
      events.send(.dropped(frames: frames, reason: reason))
    }
  }

  /// What others may know.
  struct Progress: Sendable {
    /// The first tag that is not known to have arrived.
    var undelivered: Int64
    /// A GOP of this session's own is known to have arrived.
    var isProven = false
  }

  private let around: Surroundings
  private let cursor: TagLog.Cursor
  private let beginning: Beginning
  /// The tag that it begins with: all before has arrived elsewhere, or is lost.
  let first: Int64
  private let onProven: @Sendable () -> Void
  private let state: Mutex<Progress>
  private let handover = Mutex<KeyframeHandover?>(nil)

  private var underway: [Int64: MediaTag] = [:]
  private var droppedBefore: Int64
  private var hasBegun = false
  /// What is sent first, only so that decoders can follow.
  private var seen: ArraySlice<RTMPTag> = []
  private var rule = DropRule()
  private var skipped = 0
  private var lastConfirmation = MonotonicTime.now
  private var firstDts: Int64?

  init(
    _ around: Surroundings, _ beginning: Beginning, onProven: @escaping @Sendable () -> Void
  ) {
    self.around = around
    self.beginning = beginning
    self.onProven = onProven
    cursor = around.log.cursor()
    droppedBefore = cursor.droppedFrames
    let first =
      switch beginning {
      case .oldest: cursor.position
      case .replay(_, let undelivered): undelivered.serial
      case .handover: around.log.end
      }
    self.first = first
    state = Mutex(Progress(undelivered: first))
  }

  var progress: Progress { state.withLock { $0 } }

  /// Ends this session where the other one of `handover` begins.
  func end(at handover: KeyframeHandover) { self.handover.withLock { $0 = handover } }

  var wake: WakeEvent { cursor.wake }

  var isFinished: Bool {
    if cursor.isFinished { saySkipped() }
    if let end = handover.withLock({ $0 })?.keyframe(in: around.log), cursor.position >= end {
      return true
    }
    return cursor.isFinished
  }

  func opening() -> [RTMPTag] {
    lastConfirmation = .now
    switch beginning {
    case .oldest: break
    case .handover(let handover): cursor.skip(to: handover.arm(in: around.log))
    case .replay(.none, let undelivered):
      cursor.skip(to: around.log.end, frame: undelivered.frame)
      around.wantsKeyframe.isSet = true
    case .replay(.plain, let undelivered):
      cursor.resume(at: undelivered.serial, frame: undelivered.frame)
      cursor.rewind(before: undelivered.serial)
    case .replay(.squeezed, let undelivered): replay(undelivered)
    }
    return around.headers
  }

  /// Goes on with a tag in the middle of a GOP: what decoders need comes first.
  private func replay(_ undelivered: Undelivered) {
    guard let (video, splice) = around.log.preamble(to: undelivered.serial) else {
      return cursor.skip(to: undelivered.serial, frame: undelivered.frame)
    }
    cursor.resume(at: undelivered.serial, frame: undelivered.frame)
    seen = Preamble.squeezed(video, before: splice).map { RTMPTag($0, serial: -1) }[...]
  }

  func next() -> RTMPTag? {
    beginInPlace()
    if let tag = seen.popFirst() { return tag }
    while true {
      around.telemetry.waiting(since: cursor.waitingSince)
      if let end = handover.withLock({ $0 })?.keyframe(in: around.log), cursor.position >= end {
        return nil
      }
      let waitingSince = cursor.waitingSince
      guard let (tag, serial) = cursor.next() else {
        rule.caughtUp()
        return nil
      }
      // What comes before the keyframe of a handover is the other session's.
      if case .handover = beginning, !hasBegun { droppedBefore = cursor.droppedFrames }
      hasBegun = true
      if cursor.droppedFrames > droppedBefore {
        around.dropped(
          Int(cursor.droppedFrames - droppedBefore), because: "no ingest could take them in time")
        droppedBefore = cursor.droppedFrames
        // What is counted once is not counted by the next session too.
        if underway.isEmpty { state.withLock { $0.undelivered = serial } }
      }
      if tag.kind == .video, leavesOut(tag, since: waitingSince) { continue }
      underway[serial] = tag
      return RTMPTag(tag, serial: serial)
    }
  }

  /// Of a handover whose other session broke before its keyframe came: goes on where that broke.
  private func beginInPlace() {
    guard case .handover(let handover) = beginning, !hasBegun, let undelivered = handover.broken
    else { return }
    hasBegun = true
    state.withLock { $0.undelivered = undelivered.serial }
    replay(undelivered)
  }

  private func leavesOut(_ tag: MediaTag, since: MonotonicTime?) -> Bool {
    let now = MonotonicTime.now
    let wasSkipping = rule.isSkipping
    let leavesOut = rule.leavesOut(
      isKeyframe: tag.isKeyframe, age: since.map { now - $0 } ?? 0,
      confirmedAgo: now - lastConfirmation, stallLimit: around.stallLimit)
    if leavesOut {
      skipped += 1
      if !wasSkipping { around.wantsKeyframe.isSet = true }
    } else {
      saySkipped()
    }
    return leavesOut
  }

  private func saySkipped() {
    guard skipped > 0 else { return }
    around.dropped(skipped, because: "the ingest takes media too slowly")
    skipped = 0
  }

  func sent(_ tag: RTMPTag, at time: MonotonicTime) {
    guard let media = underway[tag.serial] else { return }  // a header, or what was seen before
    around.telemetry.whole.published(media, tag.serial, at: time)
  }

  func confirmed(_ serial: Int64, at time: MonotonicTime) {
    rule.confirmed(after: time - lastConfirmation, stallLimit: around.stallLimit)
    lastConfirmation = time
    guard let media = underway.removeValue(forKey: serial) else { return }
    firstDts = firstDts ?? media.dts
    let isWhole = media.dts - (firstDts ?? media.dts) >= around.gop
    let isNews = state.withLock { state in
      state.undelivered = max(state.undelivered, serial + 1)
      defer { state.isProven = state.isProven || isWhole }
      return isWhole && !state.isProven
    }
    if isNews { onProven() }
  }
}

/// Where one session ends and another begins: a keyframe that both look for.
final class KeyframeHandover: Sendable {
  private let armed = Mutex<Int64?>(nil)
  private let breach = Mutex<TagFeed.Undelivered?>(nil)

  /// The session that ends there broke, and left this.
  func breaks(leaving undelivered: TagFeed.Undelivered) { breach.withLock { $0 = undelivered } }

  /// What a session that broke has left.
  var broken: TagFeed.Undelivered? { breach.withLock { $0 } }

  /// From now on the next keyframe is it.
  ///
  /// - Returns: From which tag on it is looked for.
  func arm(in log: TagLog) -> Int64 {
    let end = log.end
    armed.withLock { $0 = end }
    return end
  }

  /// nil when it has not come yet.
  func keyframe(in log: TagLog) -> Int64? {
    armed.withLock { $0 }.flatMap { log.keyframe(from: $0) }
  }
}

extension RTMPTag {
  init(_ tag: MediaTag, serial: Int64) {
    self.init(
      kind: tag.kind == .video ? .video : .audio, timestamp: tag.dts, body: tag.body,
      serial: serial)
  }
}
