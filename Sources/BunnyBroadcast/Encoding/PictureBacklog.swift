/// What a picture took, as far as it is believed: a program that was stopped once is not slow.
package struct PictureTime: Equatable, Sendable {
  /// In the lane, nanoseconds of the clock; no more than four frames together.
  package let converting: Int64
  package let encoding: Int64
  /// Until the next one.
  package let frame: Int64

  package init(converting: Int64, encoding: Int64, frame: Int64) {
    self.converting = min(converting, 4 * frame)
    self.encoding = min(encoding, 4 * frame - self.converting)
    self.frame = frame
  }
}

/// Which pictures are left out, so that those which are encoded are never old: a queue that a slow encoder
/// lets grow would be delay for ever. Counts pictures; does nothing itself.
package struct PictureBacklog {
  /// So many pictures may wait before others are left out. Fewer are jitter.
  package static let most = 6

  /// How much of its time a picture takes, of late; 1 is all of it.
  private var load = 0.0

  package init() {}

  /// A picture was encoded.
  package mutating func encoded(_ time: PictureTime) {
    load += (Double(time.converting + time.encoding) / Double(time.frame) - load) / 8
  }

  /// More comes than can be encoded.
  package var isBehind: Bool { load > 0.9 }

  /// - Parameter waiting: pictures that came after this one.
  package func leavesOutPicture(waiting: Int) -> Bool { isBehind && waiting >= Self.most }

  /// Whether the last picture is not shown again in a place whose own did not come.
  ///
  /// - Parameter waiting: pictures that came since.
  package func leavesOutRepeat(waiting: Int) -> Bool {
    waiting > (isBehind ? 0 : Self.most)
  }
}
