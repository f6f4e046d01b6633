package import BunnySystem

/// What becomes of a source that comes and goes, and what is to be done about it: reopen now, wait until,
/// show the slate, live again. Opens nothing and waits for nothing; cameras and microphones alike.
package struct Presence: Equatable {
  package enum State: Equatable {
    /// Being opened for the first time, or about to deliver for the first time.
    case opening
    case running
    /// Late since then: the last picture is held, and nothing said.
    case doubtful(since: MonotonicTime)
    /// Slate and silence are on air, and a call that opens it or waits for it is under way.
    case lost
    /// Slate and silence are on air; it is left alone until then.
    case waiting(until: MonotonicTime)
  }

  /// What there is to be done, besides going on.
  package enum Step: Equatable {
    /// Show the slate, and say that it is lost.
    case lose
    /// The same, because it has delivered nothing for so many milliseconds.
    case loseSilent(milliseconds: Int)
    /// It delivers again: say so.
    case welcome
    /// Its call does not return: leave that to its thread, and open it anew on another.
    case abandon
    /// Opening it again does not help: reset its USB device.
    case reset
    /// Nothing that can be done from here helps: say so.
    case callForHelp
  }

  package private(set) var state = State.opening
  /// Tries that failed in a row.
  private var failures = 0
  /// Since when its present call has lasted.
  private var called: MonotonicTime
  private var runningSince: MonotonicTime
  /// From the last delivery but one to the last, nanoseconds.
  private var interval: Int64 = 0
  /// Calls that have not returned, each with its thread.
  private var abandoned = 0
  private var hasCalledForHelp = false
  private var lostSince: MonotonicTime?
  /// It had delivered, and the call that was to do so again is still under way.
  private var isLate = false
  /// Since when it has been seen on its USB bus, where it may be reset.
  private var onBusSince: MonotonicTime?
  /// Since it last ran for ``proof``.
  private var resets = 0
  private var lastReset: MonotonicTime?

  /// How long it may take to deliver for the first time.
  package static let openingPatience: Int64 = .seconds(3)
  /// How long it is doubted: a process that was held up finds what came meanwhile.
  package static let doubt: Int64 = .milliseconds(200)
  /// A call that lasts longer does not return. Cameras take up to 5 s to wake up.
  package static let longestCall: Int64 = .seconds(10)
  /// Each costs a thread and what it holds.
  package static let mostAbandoned = 3
  /// Waits before each try, seconds; the last one from then on. Asking costs little, and some devices
  /// come back without a sign.
  package static let pauses = [0, 0.25, 0.5, 1]
  /// For how long it must have run for the next loss to be a new one: one that comes and goes is not
  /// opened again and again without a pause.
  package static let proof: Int64 = .seconds(5)
  /// From a sign of it until it is opened: its node may be there before its driver is ready.
  package static let readying: Int64 = .milliseconds(50)

  /// How long it is only opened again, though it is plugged in, before its USB device is reset: that takes
  /// its other functions away too, for a moment.
  package static let resetAfter: Int64 = .seconds(5)
  /// From one reset to the next.
  package static let resetPause: Int64 = .seconds(60)
  /// Who is not helped by these is not helped by more.
  package static let mostResets = 3
  /// How long it may be lost before a person is asked.
  package static let handAfter: Int64 = .seconds(60)

  package init(at now: MonotonicTime) {
    (called, runningSince) = (now, now)
  }

  /// It has delivered.
  package mutating func delivered(at now: MonotonicTime) -> Step? {
    defer { (state, called) = (.running, now) }
    switch state {
    case .running, .doubtful:
      interval = min(now - called, .seconds(2))
      return nil
    case .opening, .lost, .waiting:
      // One that was called lost while its call went on is slow: so it is to be waited for.
      interval = isLate ? min(now - called, .seconds(2)) : 0
      (runningSince, hasCalledForHelp, isLate) = (now, false, false)
      (lostSince, onBusSince) = (nil, nil)
      return state == .opening ? nil : .welcome
    }
  }

  /// Its call has failed.
  package mutating func failed(at now: MonotonicTime) -> Step? {
    let wasThere = lostSince == nil
    noteLoss(at: now)
    let pause = Self.pauses[min(failures, Self.pauses.count - 1)]
    failures += 1
    state = .waiting(until: now + .seconds(pause))
    return wasThere ? .lose : climbed(to: now)
  }

  private mutating func noteLoss(at now: MonotonicTime) {
    guard lostSince == nil else { return }
    lostSince = now
    if state != .opening && now - runningSince >= Self.proof { (failures, resets) = (0, 0) }
  }

  /// The next rung of what is done about it: open it again, reset its USB device, ask a person.
  private var rung: (step: Step, time: MonotonicTime)? {
    guard let lostSince else { return nil }
    var rungs: [(step: Step, time: MonotonicTime)] = []
    if let onBusSince, resets < Self.mostResets {
      let first = max(lostSince, onBusSince) + Self.resetAfter
      rungs.append((.reset, max(first, lastReset.map { $0 + Self.resetPause } ?? first)))
    }
    if !hasCalledForHelp { rungs.append((.callForHelp, lostSince + Self.handAfter)) }
    return rungs.min { $0.time < $1.time }
  }

  private mutating func climbed(to now: MonotonicTime) -> Step? {
    guard let rung, now >= rung.time else { return nil }
    if rung.step == .reset {
      (resets, lastReset) = (resets + 1, now)
    } else {
      hasCalledForHelp = true
    }
    return rung.step
  }

  /// Something was plugged in, or let go by another program: it may be ours. Two programs that each notice
  /// the other's tries do not drive each other on.
  package mutating func noticedChange(at now: MonotonicTime) {
    guard case .waiting(let until) = state else { return }
    failures = min(failures, 1)
    let next = max(now + Self.readying, called + .seconds(Self.pauses[1]))
    state = .waiting(until: min(until, next))
  }

  /// Whether its USB device is there, and may be reset. To be told before ``failed(at:)`` and
  /// ``passed(to:)``.
  package mutating func sawOnBus(_ isThere: Bool, at now: MonotonicTime) {
    onBusSince = isThere ? onBusSince ?? now : nil
  }

  /// It is called again.
  package mutating func called(at now: MonotonicTime) {
    (state, called, isLate) = (.lost, now, false)
  }

  /// A call that was abandoned has returned after all.
  package mutating func returned() { abandoned -= 1 }

  /// When to look at the clock again.
  package var deadline: MonotonicTime {
    switch state {
    case .opening: called + Self.openingPatience
    case .running: called + Lateness.limit(interval: interval)
    case .doubtful(let since): since + Self.doubt
    case .lost: min(callDeadline, rung?.time ?? .distantFuture)
    case .waiting: .distantFuture
    }
  }

  /// When the present call counts as one that does not return, if something can be done about it.
  private var callDeadline: MonotonicTime {
    let canHelp = abandoned < Self.mostAbandoned || !hasCalledForHelp
    return canHelp ? called + Self.longestCall : .distantFuture
  }

  /// Looks at the clock.
  package mutating func passed(to now: MonotonicTime) -> Step? {
    guard now >= deadline else { return nil }
    switch state {
    case .running:
      state = .doubtful(since: now)
      return nil
    case .opening, .doubtful:
      noteLoss(at: now)
      isLate = state != .opening
      state = .lost
      return .loseSilent(milliseconds: Int((now - called) / .milliseconds(1)))
    case .lost where now < callDeadline: return climbed(to: now)
    case .lost where abandoned < Self.mostAbandoned:
      abandoned += 1
      (called, isLate) = (now, false)
      return .abandon
    case .lost:
      hasCalledForHelp = true
      return .callForHelp
    case .waiting:
      return nil
    }
  }
}
