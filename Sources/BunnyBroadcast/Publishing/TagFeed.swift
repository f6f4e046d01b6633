import BunnyMedia
package import BunnyRTMP
package import BunnySystem
import Synchronization

/// The tag log as one RTMP session sees it. What it says of itself may be asked from any thread; the
/// rest belongs to the session's thread.
package final class TagFeed: RTMPFeed, @unchecked Sendable {  // what is asked is under a lock
  /// Where a session begins.
  package enum Beginning: Sendable {
    /// With the oldest keyframe that is kept.
    case oldest
    /// With the first tag that is not known to have arrived elsewhere.
    case replay(BroadcastConfiguration.Replay, Undelivered)
    /// With the first keyframe that is logged once the session is there, if the other one gets so far;
    /// else like a replay.
    case handover(BroadcastConfiguration.Replay, KeyframeHandover)
  }

  /// The first tag that is not known to have arrived, and how many video frames came before it.
  package struct Undelivered: Sendable {
    package let serial: Int64
    package let frame: Int64?

    package init(serial: Int64, frame: Int64?) {
      self.serial = serial
      self.frame = frame
    }
  }

  /// What a session needs of the log and of what surrounds it.
  package struct Surroundings: Sendable {
    let log: TagLog
    let headers: [RTMPTag]
    let telemetry: LaneTelemetry
    let stallLimit: Int64
    /// Milliseconds of a GOP.
    let gop: Int64
    /// A keyframe is wanted of the encoder, soon.
    let wantsKeyframe: Flag
    /// Is told when frames had to be left out, and why.
    let onDrop: @Sendable (Int, String) -> Void

    package init(
      log: TagLog, headers: [RTMPTag], telemetry: LaneTelemetry, stallLimit: Int64, gop: Int64,
      wantsKeyframe: Flag, onDrop: @escaping @Sendable (Int, String) -> Void
    ) {
      self.log = log
      self.headers = headers.map {  // whose arrival says nothing of a tag
        RTMPTag(kind: $0.kind, timestamp: $0.timestamp, body: $0.body, serial: -1)
      }
      self.telemetry = telemetry
      self.stallLimit = stallLimit
      self.gop = gop
      self.wantsKeyframe = wantsKeyframe
      self.onDrop = onDrop
    }
  }

  /// How much of this session's own is known to have arrived.
  package enum Milestone: Sendable { case tag, gop }

  /// What others may know.
  struct Progress: Sendable {
    /// The tag that it begins with: all before has arrived elsewhere, or is lost. nil: not known yet.
    var first: Int64?
    /// The first tag that is not known to have arrived.
    var undelivered: Int64
    /// How many video frames came before that: the log may have lost it meanwhile.
    var frame: Int64?
    var milestone: Milestone?
  }

  private let around: Surroundings
  private let cursor: TagLog.Cursor
  private let beginning: Beginning
  private let onArrival: @Sendable (Milestone) -> Void
  private let state: Mutex<Progress>
  private let handover = Mutex<KeyframeHandover?>(nil)

  /// With the number of frames up to and with each.
  private var underway: [Int64: (tag: MediaTag, frames: Int64)] = [:]
  private var droppedBefore: Int64
  /// It has come to where the other session of `handover` begins.
  private var isHolding = false
  /// What is sent first, only so that decoders can follow.
  private var seen: ArraySlice<MediaTag> = []
  /// The sequence header that was sent last.
  private var parameters: SharedBytes?
  /// What comes next, because its sequence header had to be sent first.
  private var following: RTMPTag?
  private var rule = DropRule()
  private var skipped = 0
  private var lastConfirmation = MonotonicTime.now
  private var firstDts: Int64?

  package init(
    _ around: Surroundings, _ beginning: Beginning,
    onArrival: @escaping @Sendable (Milestone) -> Void = { _ in }
  ) {
    self.around = around
    self.beginning = beginning
    self.onArrival = onArrival
    cursor = around.log.cursor()
    droppedBefore = cursor.droppedFrames
    let first: Undelivered? =
      switch beginning {
      case .oldest:
        Undelivered(serial: cursor.position, frame: around.log.frame(at: cursor.position))
      case .replay(_, let undelivered): undelivered
      case .handover: nil
      }
    state = Mutex(
      Progress(
        first: first?.serial, undelivered: first?.serial ?? around.log.end, frame: first?.frame))
  }

  var progress: Progress { state.withLock { $0 } }

  /// Holds this session where the other one of `handover` begins; nil: lets it go on.
  package func hold(at handover: KeyframeHandover?) {
    self.handover.withLock { $0 = handover }
    wake.signal()
  }

  package var wake: WakeEvent { cursor.wake }

  package var isFinished: Bool {
    guard progress.first != nil, cursor.isFinished, following == nil else { return false }
    saySkipped()
    return true
  }

  package func opening() -> [RTMPTag] {
    lastConfirmation = .now
    parameters = around.headers.first { $0.kind == .video }?.body
    switch beginning {
    case .oldest: break
    case .handover(_, let handover): handover.arm(in: around.log, waking: wake)
    case .replay(let mode, let undelivered): replay(undelivered, mode)
    }
    return around.headers
  }

  private func replay(_ undelivered: Undelivered, _ mode: BroadcastConfiguration.Replay) {
    switch mode {
    case .none:
      cursor.skip(to: around.log.end, frame: undelivered.frame)
      around.wantsKeyframe.isSet = true
    case .plain:
      cursor.resume(at: undelivered.serial, frame: undelivered.frame)
      cursor.rewind(before: undelivered.serial)
    case .squeezed: splice(undelivered)
    }
  }

  /// Goes on with a tag in the middle of a GOP: what decoders need comes first.
  private func splice(_ undelivered: Undelivered) {
    guard let (video, splice) = around.log.preamble(to: undelivered.serial) else {
      return cursor.skip(to: undelivered.serial, frame: undelivered.frame)
    }
    cursor.resume(at: undelivered.serial, frame: undelivered.frame)
    seen = Preamble.squeezed(video, before: splice)[...]
  }

  /// A frame comes after the sequence header that it needs: they change where a camera's own H.264 and
  /// ours follow each other.
  package func next() -> RTMPTag? {
    if let tag = following {
      following = nil
      return tag
    }
    guard let (tag, serial) = nextMedia() else { return nil }
    let whole = RTMPTag(tag, serial: serial)
    guard tag.kind == .video, let needed = tag.parameters, needed != parameters else {
      return whole
    }
    (parameters, following) = (needed, whole)
    return RTMPTag(kind: .video, timestamp: tag.dts, body: needed, serial: -1)
  }

  private func nextMedia() -> (tag: MediaTag, serial: Int64)? {
    guard hasBegun() else { return nil }
    if let tag = seen.popFirst() {
      if seen.isEmpty { seen = [] }  // an empty slice still holds all that was in it
      return (tag, -1)
    }
    while !holds() {
      around.telemetry.waiting(since: cursor.waitingSince)
      let waitingSince = cursor.waitingSince
      guard let (tag, serial) = cursor.next() else {
        rule.caughtUp()
        return nil
      }
      if cursor.droppedFrames > droppedBefore {
        around.onDrop(
          Int(cursor.droppedFrames - droppedBefore), "no ingest could take them in time")
        droppedBefore = cursor.droppedFrames
        // What is counted once is not counted by the next session too.
        if underway.isEmpty { state.withLock { $0.undelivered = serial } }
      }
      if tag.kind == .video, leavesOut(tag, since: waitingSince) { continue }
      underway[serial] = (tag, cursor.nextFrame)
      return (tag, serial)
    }
    return nil
  }

  /// Of a handover: whether it is this session's turn.
  private func hasBegun() -> Bool {
    guard progress.first == nil, case .handover(let mode, let handover) = beginning else {
      return true
    }
    let first: Undelivered
    switch handover.beginning {
    case nil: return false
    case .keyframe(let serial):
      first = Undelivered(serial: serial, frame: around.log.frame(at: serial))
      cursor.skip(to: serial)
    case .replay(let undelivered):
      first = undelivered
      replay(undelivered, mode)
    }
    state.withLock { state in
      state.first = first.serial
      state.undelivered = first.serial
      state.frame = first.frame
    }
    return true
  }

  /// Whether what follows is another session's. It is told once all before has arrived.
  private func holds() -> Bool {
    guard let handover = handover.withLock({ $0 }),
      let keyframe = handover.keyframe(in: around.log), cursor.position >= keyframe
    else {
      if isHolding { rule = DropRule() }  // what has waited meanwhile is to be caught up with
      isHolding = false
      return false
    }
    isHolding = true
    if underway.isEmpty || !handover.awaitsArrival { handover.arrived(before: keyframe) }
    return true
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
    around.onDrop(skipped, "the ingest takes media too slowly")
    skipped = 0
  }

  package func sent(_ tag: RTMPTag, at time: MonotonicTime) {
    guard let media = underway[tag.serial]?.tag else { return }  // a header, or seen before
    around.telemetry.published(media, tag.serial, at: time)
  }

  package func confirmed(_ serial: Int64, at time: MonotonicTime) {
    rule.confirmed(after: time - lastConfirmation, stallLimit: around.stallLimit)
    lastConfirmation = time
    guard let (media, frames) = underway.removeValue(forKey: serial) else { return }
    if isHolding { _ = holds() }
    firstDts = firstDts ?? media.dts
    let isWhole = media.dts - (firstDts ?? media.dts) >= around.gop
    let reached: Milestone? = state.withLock { state in
      if serial >= state.undelivered { (state.undelivered, state.frame) = (serial + 1, frames) }
      let milestone: Milestone = isWhole ? .gop : .tag
      guard state.milestone == nil || isWhole && state.milestone == .tag else { return nil }
      state.milestone = milestone
      return milestone
    }
    if let reached { onArrival(reached) }
  }
}

extension RTMPTag {
  init(_ tag: MediaTag, serial: Int64) {
    self.init(
      kind: tag.kind == .video ? .video : .audio, timestamp: tag.dts, body: tag.body,
      serial: serial)
  }
}
