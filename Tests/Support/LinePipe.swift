import BunnySystem

extension Line {
  /// An IP packet between the near end and one of the far ends.
  struct Packet: Sendable {
    let bytes: [UInt8]
    let far: Far

    /// - Parameter farAddress: Where in the packet the far end's address begins is told by whether it
    ///   is the source's or the destination's.
    /// - Returns: nil for what is not between the line's ends: the kernel's own multicasts.
    init?(_ bytes: [UInt8], farAddress: Role) {
      let isDestination = farAddress == .destination
      let last: Int  // the address's last byte
      switch (bytes.first ?? 0) >> 4 {
      case 4: last = isDestination ? 19 : 15
      case 6: last = isDestination ? 39 : 23
      default: return nil
      }
      guard bytes.count > last, let far = Self.far(bytes[0...last]) else { return nil }
      self.bytes = bytes
      self.far = far
    }

    enum Role { case source, destination }

    private static func far(_ head: ArraySlice<UInt8>) -> Far? {
      Far.allCases.first { far in
        head.suffix(4).elementsEqual([10, 77, 0, far.number])
          || head.suffix(16).elementsEqual(
            [0xFD, 0x77] + Array(repeating: 0, count: 13) + [far.number])
      }
    }
  }
}

/// One direction of a line: packets wait for their turn at the rate, then take the delay. Decides what
/// leaves when, and keeps the order; moves nothing itself.
struct LinePipe: Sendable {
  private struct Held {
    let packet: Line.Packet
    let time: MonotonicTime
  }

  private struct Hold {
    let end: MonotonicTime
    let drops: Bool
  }

  private var course = Line.Condition().there
  private var generator: SplitMix
  private var waiting = Fifo<Held>()  // since `time`
  private var waitingBits = 0
  private var flying = Fifo<Held>()  // until `time`
  private var hold: Hold?  // frozen
  private var freeFrom = MonotonicTime(nanoseconds: 0)  // the sender's next turn
  private var thawedAt = MonotonicTime(nanoseconds: 0)
  private var lastDue = MonotonicTime(nanoseconds: 0)
  /// Packets dropped so far.
  private(set) var dropped: [Line.Far: Int] = [:]

  /// - Parameter seed: Which packets are lost: the same ones, counted from the first, for the same
  ///   seed and loss.
  init(seed: UInt64) { generator = SplitMix(seed) }

  /// Takes a packet that comes at `time`, or drops it.
  mutating func accept(_ packet: Line.Packet, at time: MonotonicTime) {
    advance(to: time)
    let isLost = generator.fraction() < course.loss  // asked for every packet: see `seed`
    guard course.isOpen, !isLost, hasRoom(for: packet) else { return drop(packet) }
    waiting.append(Held(packet: packet, time: time))
    waitingBits += packet.bits
  }

  /// The next packet that leaves until `now`, and when it does.
  mutating func next(until now: MonotonicTime) -> (Line.Packet, MonotonicTime)? {
    advance(to: now)
    guard hold == nil, let first = flying.first, first.time <= now else { return nil }
    flying.removeFirst()
    return (first.packet, max(first.time, thawedAt))
  }

  /// When to ask for the next one at the latest.
  var nextTime: MonotonicTime {
    if let hold { return hold.end }
    return min(flying.first?.time ?? .distantFuture, endOfTurn ?? .distantFuture)
  }

  mutating func set(_ course: Line.Course, at now: MonotonicTime) {
    advance(to: now)
    self.course = course
    if !course.isOpen { dropAll() }
    if course.isFrozen { return freeze(until: .distantFuture, thenDropping: false, at: now) }
    if hold != nil { thaw(at: now, dropping: false) }
  }

  /// Holds everything until `end`.
  mutating func freeze(until end: MonotonicTime, thenDropping drops: Bool, at now: MonotonicTime) {
    advance(to: now)
    hold = Hold(end: end, drops: drops)
  }

  private mutating func thaw(at time: MonotonicTime, dropping: Bool) {
    hold = nil
    thawedAt = time
    freeFrom = max(freeFrom, time)
    if dropping { dropAll() }
  }

  /// Sends what has its turn until `now`.
  private mutating func advance(to now: MonotonicTime) {
    if let hold {
      guard now >= hold.end else { return }
      thaw(at: hold.end, dropping: hold.drops)
    }
    while let first = waiting.first, let end = endOfTurn, end <= now {
      waiting.removeFirst()
      waitingBits -= first.packet.bits
      freeFrom = end
      lastDue = max(end + course.delay, lastDue)
      flying.append(Held(packet: first.packet, time: lastDue))
    }
  }

  /// When the first of those that wait has been sent.
  private var endOfTurn: MonotonicTime? {
    guard let first = waiting.first else { return nil }
    let start = max(first.time, freeFrom)
    guard let rate = course.bitsPerSecond else { return start }
    return start + Int64(first.packet.bits) * 1_000_000_000 / Int64(rate)
  }

  private func hasRoom(for packet: Line.Packet) -> Bool {
    guard let rate = course.bitsPerSecond else { return true }
    return waiting.first == nil
      || Double(waitingBits + packet.bits) <= Double(rate) * course.queue
  }

  private mutating func dropAll() {
    while let held = waiting.removeFirst() { drop(held.packet) }
    while let held = flying.removeFirst() { drop(held.packet) }
    waitingBits = 0
  }

  private mutating func drop(_ packet: Line.Packet) { dropped[packet.far, default: 0] += 1 }
}

extension Line.Packet {
  fileprivate var bits: Int { bytes.count * 8 }
}

/// Steele, Lea and Flood's SplitMix64.
private struct SplitMix: Sendable {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// 0 or more, less than 1.
  mutating func fraction() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return Double(bits >> 11) / Double(1 << 53)
  }
}

/// First in, first out.
private struct Fifo<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var start = 0

  var first: Element? { start < elements.count ? elements[start] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  @discardableResult
  mutating func removeFirst() -> Element? {
    guard start < elements.count else { return nil }
    defer {
      elements[start] = nil
      start += 1
      if start == elements.count || start > 1024 {
        elements.removeFirst(start)
        start = 0
      }
    }
    return elements[start]
  }
}
