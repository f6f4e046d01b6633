package import BunnySystem

/// When a camera that codes its picture itself is asked for a keyframe: when an ingest needs one, and when
/// its own are further apart than the quality's.
package struct KeyframePlea {
  private let interval: Int64
  private var keyframe: MonotonicTime?
  private var asked: MonotonicTime?

  /// Not again for so long: cameras take some frames to obey.
  private static let pause: Int64 = .seconds(1)

  /// - Parameter interval: nanoseconds from one keyframe to the next.
  package init(after interval: Int64) { self.interval = interval }

  /// A coded picture is passed on.
  ///
  /// - Parameter isWanted: an ingest needs a keyframe.
  /// - Returns: whether to ask now.
  package mutating func passed(isKeyframe: Bool, isWanted: Bool, at time: MonotonicTime) -> Bool {
    if isKeyframe || keyframe == nil { keyframe = time }
    guard !isKeyframe, let keyframe, isWanted || time - keyframe >= interval else { return false }
    if let asked, time - asked < Self.pause { return false }
    asked = time
    return true
  }
}
