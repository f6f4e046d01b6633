extension BroadcastTotals {
  /// What two broadcasts did one after the other; how long handling took is the second one's.
  static func + (first: Self, second: Self) -> Self {
    var sum = second
    sum.capturedFrames += first.capturedFrames
    sum.repeatedFrames += first.repeatedFrames
    sum.skippedFrames += first.skippedFrames
    sum.missedFrames += first.missedFrames
    sum.encodedFrames += first.encodedFrames
    sum.droppedFrames += first.droppedFrames
    sum.publishedFrames += first.publishedFrames
    sum.filledSamples += first.filledSamples
    sum.bytes += first.bytes
    sum.connections += first.connections
    sum.liveSeconds += first.liveSeconds
    sum.decodeErrors += first.decodeErrors
    return sum
  }
}
