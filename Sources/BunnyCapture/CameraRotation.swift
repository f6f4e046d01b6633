package import BunnySystem

/// What to do when the one on air is lost, where there are several.
public enum CameraLoss: String, Sendable, CaseIterable {
  /// Open it again until it is back.
  case wait
  /// Go on to the next one that delivers; the lost one is opened again meanwhile.
  case next
}

/// Which of several cameras is on air, and what is to be done to put another there. Opens nothing and
/// waits for nothing.
///
/// The next one is opened while the present one goes on, and takes its place with its first picture.
/// Where the bus has no room for both, the present one is let go first, its last picture held; it is
/// opened again if the next one does not deliver. Who takes the place of a lost one keeps it.
package struct CameraRotation: Equatable {
  package enum Step: Equatable {
    /// Open it. Beside another one, it is to be what it would be alone, or to fail.
    case open(Int, besideAnother: Bool)
    /// Let go of it.
    case close(Int)
    /// It is on air from now on. Let go of the other, and say so.
    case change(from: Int, to: Int)
    /// The one that was to come could not, and why; nil: it took too long.
    case sayFailed(Int, reason: String?)
  }

  private enum Phase: Equatable {
    /// Nothing is to be changed.
    case resting
    /// `next` is open beside the one on air. It was asked for, or is a spare.
    case trying(Int, until: MonotonicTime, isAsked: Bool)
    /// The one on air is being let go, so that `next` has room.
    case makingRoom(Int, until: MonotonicTime)
    /// `next` is open, and the one on air is not.
    case tryingAlone(Int, until: MonotonicTime)
    /// No spare has delivered yet: this is the one to try next.
    case pausing(Int, until: MonotonicTime)
  }

  package let count: Int
  private let onLoss: CameraLoss
  package private(set) var onAir = 0
  /// The one on air delivers nothing.
  private var isLost = false
  private var phase = Phase.resting
  /// The last one that was asked for: one that fails does not keep those behind it from their turn.
  private var lastAsked = 0
  /// Spares that failed since the loss: said once.
  private var saidFailed: Set<Int> = []

  /// How long the next one may take to deliver. Cameras take up to 5 s to wake up.
  package static let patience: Int64 = .seconds(6)
  /// From a spare that has failed to the next try.
  package static let pause: Int64 = .seconds(1)

  /// - Parameter count: of cameras, 1 or more; the first one is on air.
  package init(count: Int, onLoss: CameraLoss) {
    (self.count, self.onLoss) = (count, onLoss)
  }

  /// The one that is to come, if one is being tried.
  package var candidate: Int? {
    switch phase {
    case .trying(let next, _, _), .tryingAlone(let next, _): next
    case .makingRoom, .pausing, .resting: nil
    }
  }

  /// When to look at the clock again.
  package var deadline: MonotonicTime {
    switch phase {
    case .resting: .distantFuture
    case .trying(_, let until, _), .makingRoom(_, let until), .tryingAlone(_, let until),
      .pausing(_, let until):
      until
    }
  }

  private func following(_ camera: Int) -> Int { (camera + 1) % count }

  /// The next one that is not on air.
  private func spare(after camera: Int) -> Int {
    let next = following(camera)
    return next == onAir ? following(next) : next
  }

  // MARK: What happens

  /// Somebody asks for the next one. Who asks again while that is being opened gets the one after it;
  /// once around, all stays as it is.
  package mutating func asked(at now: MonotonicTime) -> [Step] {
    guard count > 1 else { return [] }
    let until = now + Self.patience
    switch phase {
    case .resting: return `try`(spare(after: lastAsked), isAsked: true, at: now)
    case .pausing(let next, _): return `try`(next, isAsked: true, at: now)
    case .trying(let given, _, _):
      let next = following(given)
      guard next == onAir else {
        return [.close(given)] + `try`(next, isAsked: true, at: now)
      }
      lastAsked = onAir
      return [.close(given)] + rest(after: given, at: now)
    case .makingRoom(let given, _):
      let next = following(given)
      guard next == onAir else {
        (phase, lastAsked) = (.makingRoom(next, until: until), next)
        return []
      }
      lastAsked = onAir
      return reopen()
    case .tryingAlone(let given, _):
      let next = following(given)
      guard next == onAir else {
        (phase, lastAsked) = (.tryingAlone(next, until: until), next)
        return [.close(given), .open(next, besideAnother: false)]
      }
      lastAsked = onAir
      return [.close(given)] + reopen()
    }
  }

  /// The candidate has delivered its first picture.
  package mutating func candidateDelivered() -> Step? {
    guard let next = candidate else { return nil }
    let before = onAir
    (onAir, lastAsked, phase, isLost) = (next, next, .resting, false)
    saidFailed = []
    return .change(from: before, to: next)
  }

  /// The candidate could not be opened.
  ///
  /// - Parameter lacksRoom: its bus has no room for it.
  package mutating func candidateFailed(
    _ reason: String, lacksRoom: Bool, at now: MonotonicTime
  ) -> [Step] {
    guard let next = candidate else { return [] }
    if case .trying = phase, lacksRoom, !isLost {
      phase = .makingRoom(next, until: now + Self.patience)
      return [.close(next), .close(onAir)]
    }
    return fail(next, reason, at: now)
  }

  /// One that was to be closed is.
  package mutating func closed(_ camera: Int, at now: MonotonicTime) -> [Step] {
    guard case .makingRoom(let next, _) = phase, camera == onAir else { return [] }
    phase = .tryingAlone(next, until: now + Self.patience)
    return [.open(next, besideAnother: false)]
  }

  /// The one on air is lost.
  package mutating func lost(at now: MonotonicTime) -> [Step] {
    isLost = true
    guard onLoss == .next, count > 1, phase == .resting else { return [] }
    return `try`(following(onAir), isAsked: false, at: now)
  }

  /// It delivers again.
  package mutating func back() -> [Step] {
    isLost = false
    saidFailed = []
    switch phase {
    case .trying(let next, _, isAsked: false):
      phase = .resting
      return [.close(next)]
    case .pausing:
      phase = .resting
      return []
    case .resting, .trying, .makingRoom, .tryingAlone: return []
    }
  }

  /// Looks at the clock.
  package mutating func passed(to now: MonotonicTime) -> [Step] {
    guard now >= deadline else { return [] }
    switch phase {
    case .resting: return []
    case .pausing(let next, _): return `try`(next, isAsked: false, at: now)
    case .trying(let next, _, _), .makingRoom(let next, _), .tryingAlone(let next, _):
      return fail(next, nil, at: now)
    }
  }

  // MARK: What is done about it

  private mutating func `try`(_ next: Int, isAsked: Bool, at now: MonotonicTime) -> [Step] {
    phase = .trying(next, until: now + Self.patience, isAsked: isAsked)
    if isAsked { lastAsked = next }
    // One that is lost takes no room: the next may be content with less than it could have alone.
    return [.open(next, besideAnother: !isLost)]
  }

  private mutating func fail(_ next: Int, _ reason: String?, at now: MonotonicTime) -> [Step] {
    var isAsked = true
    if case .trying(_, _, let wasAsked) = phase { isAsked = wasAsked }
    let isNews = isAsked || !saidFailed.contains(next)
    let saying = isNews ? [Step.sayFailed(next, reason: reason)] : []
    if isLost { saidFailed.insert(next) }
    switch phase {
    case .makingRoom: return saying + reopen()
    case .tryingAlone: return [.close(next)] + saying + reopen()
    case .trying, .resting, .pausing: return [.close(next)] + saying + rest(after: next, at: now)
    }
  }

  private mutating func rest(after camera: Int, at now: MonotonicTime) -> [Step] {
    phase =
      isLost && onLoss == .next
      ? .pausing(spare(after: camera), until: now + Self.pause) : .resting
    return []
  }

  /// The one that was let go comes back.
  private mutating func reopen() -> [Step] {
    phase = .resting
    return [.open(onAir, besideAnother: false)]
  }
}
