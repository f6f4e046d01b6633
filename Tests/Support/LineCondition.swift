import BunnySystem

extension Line {
  /// How the line is, or the way beyond it to one of its far ends.
  public struct Condition: Sendable, Equatable {
    public enum Passage: Sendable { case both, there, back, none }

    /// One way, in milliseconds.
    public var delayThere: Double
    public var delayBack: Double
    /// Bits a second, the packets' IP and TCP headers included; nil: no limit.
    public var rateThere: Int?
    public var rateBack: Int?
    /// What may wait where there is a rate, in milliseconds at that rate; what comes then is dropped,
    /// as a modem does.
    public var queueMilliseconds: Double
    /// The share of packets that is dropped, 0...1.
    public var lossThere: Double
    public var lossBack: Double
    /// Where packets get through at all. Where not, those under way are dropped too.
    public var passes: Passage
    /// Holds everything, also what was under way. Only what a rate's queue has no room for is dropped.
    public var isFrozen: Bool

    public init(
      delayThere: Double = 0, delayBack: Double = 0, rateThere: Int? = nil, rateBack: Int? = nil,
      queueMilliseconds: Double = 200, lossThere: Double = 0, lossBack: Double = 0,
      passes: Passage = .both, isFrozen: Bool = false
    ) {
      self.delayThere = delayThere
      self.delayBack = delayBack
      self.rateThere = rateThere
      self.rateBack = rateBack
      self.queueMilliseconds = queueMilliseconds
      self.lossThere = lossThere
      self.lossBack = lossBack
      self.passes = passes
      self.isFrozen = isFrozen
    }

    /// Half of `milliseconds` each way.
    public static func roundTrip(_ milliseconds: Double) -> Self {
      Self(delayThere: milliseconds / 2, delayBack: milliseconds / 2)
    }

    /// Nothing passes, and nobody is told.
    public static let vanished = Self(passes: .none)

    var there: Course {
      Course(
        delay: Int64(delayThere * 1e6), bitsPerSecond: rateThere, queue: queueMilliseconds / 1e3,
        loss: lossThere, isOpen: passes == .both || passes == .there, isFrozen: isFrozen)
    }

    var back: Course {
      Course(
        delay: Int64(delayBack * 1e6), bitsPerSecond: rateBack, queue: queueMilliseconds / 1e3,
        loss: lossBack, isOpen: passes == .both || passes == .back, isFrozen: isFrozen)
    }
  }

  /// One of the two far ends: two ingests behind the same uplink.
  public enum Far: Sendable, CaseIterable {
    case first, second

    public var address: String { "10.77.0.\(number)" }
    public var address6: String { "fd77::\(number)" }
    var number: UInt8 { self == .first ? 2 : 3 }
  }

  /// What has come through so far, each way.
  public struct Counters: Sendable, Equatable {
    public struct Flow: Sendable, Equatable {
      public internal(set) var packets = 0
      /// Of whole IP packets.
      public internal(set) var bytes = 0
      /// Packets that were dropped, for whatever reason.
      public internal(set) var dropped = 0

      static func + (left: Self, right: Self) -> Self {
        Self(
          packets: left.packets + right.packets, bytes: left.bytes + right.bytes,
          dropped: left.dropped + right.dropped)
      }
    }

    public internal(set) var there = Flow()
    public internal(set) var back = Flow()

    static func + (left: Self, right: Self) -> Self {
      Self(there: left.there + right.there, back: left.back + right.back)
    }
  }

  /// One direction of a ``Condition``.
  struct Course: Sendable {
    var delay: Int64  // nanoseconds
    var bitsPerSecond: Int?
    var queue: Double  // seconds
    var loss: Double
    var isOpen: Bool
    var isFrozen: Bool
  }
}
