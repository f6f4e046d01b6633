package import BunnySystem

/// What of a connection's bytes has arrived, as far as that is known, and what the peer owes us proof
/// of. A value: it is told what happened and when, and reads no clock.
///
/// What the peer's kernel has taken lies in a buffer that a frozen server never reads. So the peer is
/// asked to acknowledge what it has read, and to answer a ping when the oldest byte that it has not
/// acknowledged grows old: its answer, being in order, proves that it has read all before.
package struct Delivery: Sendable {
  /// How old, in nanoseconds, the oldest unconfirmed byte is when the peer is pinged.
  package static let pingAge = Int64.milliseconds(250)
  /// How often, in nanoseconds, the kernel is asked while something is owed.
  package static let pace = Int64.milliseconds(50)

  /// Bytes that the peer has read, by its own word.
  package private(set) var confirmed: Int64 = 0
  /// Bytes that the kernel has taken from us.
  package private(set) var written: Int64 = 0
  /// Bytes that have reached the peer's kernel.
  package private(set) var arrived: Int64 = 0
  /// The peer has answered a ping.
  package private(set) var answersPings = false
  /// The peer has acknowledged something.
  package private(set) var acknowledges = false
  /// Nanoseconds from a ping to its answer, the last time.
  package private(set) var roundTrip: Int64?
  /// How the last bytes have come through.
  package private(set) var pace = DeliveryPace()

  /// After how many bytes the peer was asked to acknowledge.
  private let askedWindow: Int64
  private var lastAcknowledged: Int64 = 0
  /// From one acknowledgement to the next, the last two times.
  private var steps: (Int64, Int64) = (0, 0)
  private var marks: [Mark] = []  // of written, oldest first, those before `known` dropped
  private var pings: [Ping] = []  // unanswered, oldest first
  private var lastStamp: UInt32 = 0
  private var lastConfirmation = MonotonicTime(nanoseconds: 0)
  private var lastArrival = MonotonicTime(nanoseconds: 0)
  /// When the kernel of the peer had what it owes us.
  private var handedOver: (position: Int64, at: MonotonicTime)?

  private struct Mark {
    let begin: Int64
    var end: Int64
    let at: MonotonicTime
  }

  private struct Ping {
    let stamp: UInt32
    /// All bytes up to its last one.
    let end: Int64
    let at: MonotonicTime
  }

  /// - Parameter window: after how many bytes the peer was asked to acknowledge.
  package init(window: UInt32) { askedWindow = Int64(window) }

  /// The kernel has taken all up to `total`.
  package mutating func wrote(upTo total: Int64, at now: MonotonicTime) {
    guard total > written else { return }
    defer { written = total }
    if let last = marks.last, now - last.at < .milliseconds(5) {
      marks[marks.count - 1].end = total
    } else {
      marks.append(Mark(begin: written, end: total, at: now))
    }
  }

  /// The peer's kernel has acknowledged all up to `total`.
  package mutating func arrived(upTo total: Int64, at now: MonotonicTime) {
    let total = min(total, written)
    guard total > arrived else { return }
    arrived = total
    lastArrival = now
    noteHandover(at: now)
    if !isAnswering {
      notePace(total, at: now)
      dropMarks(upTo: arrived)
    }
  }

  /// The peer says that it has read all up to `total`.
  package mutating func acknowledged(upTo total: Int64, at now: MonotonicTime) {
    let total = min(total, written)
    guard total > lastAcknowledged else { return }
    steps = (steps.1, total - lastAcknowledged)
    lastAcknowledged = total
    acknowledges = true
    confirm(total, at: now)
  }

  /// A stamp for a ping.
  package mutating func newStamp() -> UInt32 {
    lastStamp &+= 1
    return lastStamp
  }

  /// The peer is being pinged.
  ///
  /// - Parameter end: where the ping ends, among all bytes that will have been sent.
  package mutating func pinged(_ stamp: UInt32, endingAt end: Int64, at now: MonotonicTime) {
    // Those that were read, and not answered, will hardly be: one may still be under way.
    pings.removeAll { $0.end <= confirmed && now - $0.at > .seconds(60) }
    pings.append(Ping(stamp: stamp, end: end, at: now))
  }

  /// The peer has answered; a stamp of nobody's is passed over.
  ///
  /// - Returns: Whether it was one of ours.
  @discardableResult
  package mutating func ponged(_ stamp: UInt32, at now: MonotonicTime) -> Bool {
    guard let index = pings.firstIndex(where: { $0.stamp == stamp }) else { return false }
    let ping = pings[index]
    pings.removeFirst(index + 1)
    answersPings = true
    roundTrip = now - ping.at
    confirm(ping.end, at: now)
    return true
  }

  private mutating func confirm(_ total: Int64, at now: MonotonicTime) {
    let total = min(total, written)
    guard total > confirmed else { return }
    confirmed = total
    if confirmed > arrived {
      arrived = confirmed
      lastArrival = now
    }
    lastConfirmation = now
    notePace(total, at: now)
    dropMarks(upTo: confirmed)
    noteHandover(at: now)
  }

  private mutating func notePace(_ total: Int64, at now: MonotonicTime) {
    guard let mark = marks.first(where: { $0.end >= total }) else { return }
    pace.note(total, ofWrite: mark.begin..<mark.end, at: mark.at, confirmedAt: now)
  }

  private mutating func dropMarks(upTo total: Int64) {
    let kept = marks.firstIndex { $0.end > total } ?? marks.count
    marks.removeFirst(kept)
  }

  private mutating func noteHandover(at now: MonotonicTime) {
    guard let position = owedPosition, arrived >= position else { return }
    if handedOver?.position != position { handedOver = (position, now) }
  }
}

// What is owed.
extension Delivery {
  /// The peer confirms what it reads, one way or the other.
  package var isAnswering: Bool { acknowledges || answersPings }

  /// After how many bytes an acknowledgement is overdue. A peer may have steps of its own; one step may
  /// be all that it found to read after standing still, hence two of them.
  private var window: Int64 { max(askedWindow, 2 * max(steps.0, steps.1)) }

  /// The oldest ping that nothing shows to have been read.
  private var owedPing: Ping? { pings.first { $0.end > confirmed } }

  /// Up to where a proof is owed; nil when none is. A quiet peer that has had less than a window owes
  /// nothing.
  private var owedPosition: Int64? {
    if answersPings { return owedPing?.end }
    if acknowledges { return written - confirmed > window ? confirmed + window : nil }
    return written > arrived ? arrived + 1 : nil
  }

  /// Since when the peer owes a proof, and nothing shows that it is coming; nil when it owes none.
  package func owingSince() -> MonotonicTime? {
    guard let position = owedPosition else { return nil }
    let asked = answersPings ? owedPing?.at : nil
    let sent = asked ?? marks.first { $0.end >= position }?.at ?? lastArrival
    let isHandedOver = arrived >= position
    let moved = isHandedOver && handedOver?.position == position ? handedOver?.at : nil
    return max(sent, lastConfirmation, moved ?? lastArrival)
  }

  /// A ping is under way.
  package var isPinging: Bool { owedPing != nil }

  /// Whether it is time to ping the peer.
  package func wantsPing(at now: MonotonicTime) -> Bool {
    guard answersPings, !isPinging, let oldest = marks.first else { return false }
    return now - oldest.at >= Self.pingAge
  }

  /// When to look again, if nothing happens before; nil: nothing is to be looked at.
  package func nextLook(at now: MonotonicTime) -> MonotonicTime? {
    if owedPosition != nil { return now + Self.pace }
    guard answersPings, let oldest = marks.first else { return nil }
    return max(now, oldest.at + Self.pingAge)
  }

  /// What is known to have arrived: the peer's word, or, of a peer that says nothing, its kernel's.
  package var known: Int64 { isAnswering ? confirmed : arrived }
}
