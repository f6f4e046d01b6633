/// Which pictures are left out, so that those which are encoded are never old: a queue that a slow encoder
/// lets grow would be delay for ever. Counts pictures; does nothing itself.
package struct PictureBacklog {
  /// So many pictures may wait before others are left out. Fewer are jitter.
  package static let most = 6

  /// How much of its time a picture takes, of late; 1 is all of it.
  private var load = 0.0

  package init() {}

  /// A picture was encoded.
  ///
  /// - Parameters:
  ///   - time: what it took; nanoseconds, as frame.
  ///   - frame: until the next one.
  package mutating func encoded(in time: Int64, frame: Int64) {
    // A program that was stopped once is not slow.
    load += (Double(min(time, 4 * frame)) / Double(frame) - load) / 8
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
