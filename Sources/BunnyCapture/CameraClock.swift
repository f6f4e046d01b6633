package import BunnySystem

/// When a camera's frames were captured: as its driver says, as long as that can be believed.
///
/// Times are those of a frame's beginning. Once the driver is caught in a lie, the moment of arrival is
/// taken for good: a time that is now and then wrong is worse than one that is a little late.
package struct CameraClock {
  /// What a driver's times were caught at. In words that follow "its times".
  package enum Lie: String, Sendable {
    case zero = "are zero"
    case constant = "stand still"
    case backward = "run backward"
    case wallClock = "are those of the wall clock"
    case foreign = "are those of another clock"
  }

  /// What the driver says of one frame.
  package struct Stamp: Sendable {
    package var nanoseconds: Int64
    /// Taken when the last pixel had come, not the first.
    package var isOfEnd: Bool

    package init(nanoseconds: Int64, isOfEnd: Bool) {
      self.nanoseconds = nanoseconds
      self.isOfEnd = isOfEnd
    }

    /// As V4L2 writes it. What no clock says (some programs that feed cameras write anything) becomes a
    /// moment in the far future, which is a lie.
    package init(seconds: Int, microseconds: Int, isOfEnd: Bool) {
      let isPossible = (0..<1 << 32).contains(seconds) && (0..<1_000_000).contains(microseconds)
      self.init(
        nanoseconds: isPossible
          ? Int64(seconds) * oneSecond + Int64(microseconds) * 1000 : .max / 2,
        isOfEnd: isOfEnd)
    }
  }

  /// nil while the driver is believed.
  package private(set) var lie: Lie?
  private let frame: Int64
  private var lastStamp: Int64?
  private var last: MonotonicTime?
  /// How late the last frames came, nanoseconds.
  private var delays: [Int64] = []

  /// How long the first frame may have waited in its buffer.
  private static let longestWait: Int64 = .seconds(10)
  /// The later ones may have waited longer, since a process may be stopped, and go on; but where each of so
  /// many is later than this, the camera is: its frames take long to come over the wire. They are shown
  /// as if they had come in this time, else a broadcast that waits for none would show none.
  private static let longestDelay: Int64 = .milliseconds(100)
  private static let delaysKept = 8
  /// How far clocks may disagree, beyond a frame: some drivers say when its end is expected.
  private static let tolerance: Int64 = .milliseconds(10)

  /// - Parameter frame: what a frame lasts at the rate that was agreed, nanoseconds; it is read out of
  ///   the sensor in this time however long the exposure.
  package init(frame: Int64) { self.frame = frame }

  /// - Parameters:
  ///   - arrival: when the program got it.
  ///   - wallClock: what the wall clock showed then, nanoseconds since 1970.
  /// - Returns: when its capture began; later than the last one's.
  package mutating func time(
    _ stamp: Stamp, arrival: MonotonicTime, wallClock: Int64
  ) -> MonotonicTime {
    if lie == nil { lie = findLie(stamp.nanoseconds, arrival, wallClock) }
    lastStamp = stamp.nanoseconds
    var time = lie == nil ? MonotonicTime(nanoseconds: stamp.nanoseconds) : arrival
    if stamp.isOfEnd || lie != nil { time = time + -frame }
    delays = delays.suffix(Self.delaysKept - 1) + [arrival - time]
    time = time + max(0, delays.min()! - Self.longestDelay)
    if let last { time = max(time, last + 1) }
    last = time
    return time
  }

  private func findLie(_ stamp: Int64, _ arrival: MonotonicTime, _ wallClock: Int64) -> Lie? {
    if stamp == 0 { return .zero }
    if stamp == lastStamp { return .constant }
    if let lastStamp, stamp < lastStamp { return .backward }
    let age = arrival.nanoseconds - stamp
    if age < -Self.tolerance - frame || lastStamp == nil && age > Self.longestWait {
      return abs(wallClock - stamp) < Self.longestWait ? .wallClock : .foreign
    }
    return nil
  }
}

/// Counts the frames that a camera left out, by the numbers that its driver gives them.
package struct FrameSequence {
  private var last: UInt32?

  package init() {}

  /// - Returns: how many are missing between the last frame and this one; 0 for a driver that does not
  ///   count, or begins anew.
  package mutating func missing(before sequence: UInt32) -> Int {
    defer { last = sequence }
    guard let last else { return 0 }
    let step = sequence &- last  // it may have wrapped
    return step > 1 && step < 10_000 ? Int(step) - 1 : 0
  }
}
