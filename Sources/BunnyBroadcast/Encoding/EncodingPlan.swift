package import BunnyMedia
import Synchronization

/// What the video lane encodes to: the quality, less what the network and the processor cannot carry.
package struct EncodingPlan: Equatable, Sendable {
  /// What somebody takes off the quality; nothing at first.
  package struct Limit: Equatable, Sendable {
    /// Bit/s at most; nil: the quality's.
    package var bitrate: Int?
    /// Of so many places on the grid one is encoded.
    package var frameDivisor = 1
    package var size = Size.whole
    /// nil: as the quality says.
    package var effort: EncoderEffort?
    /// Each a slice of the picture, where the quality leaves it to us; nil: x264 decides.
    package var threads: Int?

    package init() {}
  }

  /// Of each side of the picture, in quarters.
  package enum Size: Int, Sendable, Comparable {
    case half = 2
    case threeQuarters = 3
    case whole = 4

    package static func < (one: Size, other: Size) -> Bool { one.rawValue < other.rawValue }
  }

  package var bitrate: Int
  package var frameDivisor: Int
  package var size: Size
  package var effort: EncoderEffort?
  package var threads: Int?

  package init(_ quality: VideoEncoder.Settings, _ limits: [Limit] = []) {
    (bitrate, frameDivisor, size) = (quality.bitrate, 1, .whole)
    for limit in limits {
      bitrate = min(bitrate, limit.bitrate ?? bitrate)
      frameDivisor = max(frameDivisor, limit.frameDivisor)
      size = min(size, limit.size)
      if let other = limit.effort { effort = min(effort ?? other, other) }
      if let other = limit.threads { threads = max(threads ?? other, other) }
    }
  }

  /// What an encoder is opened with. Fewer frames a second are not looked ahead at for longer.
  package func settings(_ quality: VideoEncoder.Settings) -> VideoEncoder.Settings {
    var settings = quality
    settings.bitrate = bitrate
    settings.width = even(quality.width)
    settings.height = even(quality.height)
    let rate = quality.frameRate
    settings.frameRate = Timebase(rate.numerator, rate.denominator * Int32(frameDivisor))
    settings.lookahead = (quality.lookahead + frameDivisor - 1) / frameDivisor
    effort?.apply(to: &settings)
    if let threads, quality.threads == 0 {
      settings.threads = threads
      settings.slicedThreads = threads > 1
    }
    return settings
  }

  private func even(_ side: Int) -> Int {
    size == .whole ? side : max(16, side * size.rawValue / 8 * 2)
  }

  /// Whether an encoder that runs can take this over from `other`, but for the bit rate.
  package func differsOnlyInBitrate(from other: EncodingPlan) -> Bool {
    var other = other
    other.bitrate = bitrate
    return other == self
  }
}

/// Where those who watch the network and the processor say what is to be encoded to. Any thread.
package final class EncodingOrders: Sendable {
  package enum Watcher: Hashable, Sendable { case network, processor }

  private let quality: VideoEncoder.Settings
  private let state: Mutex<State>

  private struct State {
    var limits: [Watcher: EncodingPlan.Limit] = [:]
    var plan: EncodingPlan
    var isUrgent = false
    var x264: EncodingPlan.Limit?
    var isHardwareGivenUp = false

    mutating func limit(
      _ limit: EncodingPlan.Limit, by watcher: Watcher, _ quality: VideoEncoder.Settings
    ) {
      guard limits[watcher] != limit else { return }  // as it says ten times a second
      limits[watcher] = limit
      plan = EncodingPlan(quality, Array(limits.values))
    }
  }

  package init(_ quality: VideoEncoder.Settings) {
    self.quality = quality
    state = Mutex(State(plan: EncodingPlan(quality)))
  }

  /// - Parameter atOnce: another encoder, if one is needed, does not wait for the next keyframe to be due.
  package func limit(_ limit: EncodingPlan.Limit, by watcher: Watcher, atOnce: Bool = false) {
    state.withLock { state in
      state.limit(limit, by: watcher, quality)
      if atOnce { state.isUrgent = true }
    }
  }

  /// - Parameter limit: the processor's, should an encoder in hardware be given up.
  package func limitX264(_ limit: EncodingPlan.Limit) { state.withLock { $0.x264 = limit } }

  /// It is x264 that encodes from now on.
  package func giveUpHardware() {
    state.withLock { state in
      state.isHardwareGivenUp = true
      if let limit = state.x264 { state.limit(limit, by: .processor, quality) }
    }
  }

  package var isHardwareGivenUp: Bool { state.withLock { $0.isHardwareGivenUp } }

  /// - Returns: what is to be encoded to now, and whether that can wait for a keyframe that is due.
  package var current: (plan: EncodingPlan, isUrgent: Bool) {
    state.withLock { ($0.plan, $0.isUrgent) }
  }

  /// It is being encoded to.
  package func obeyed() { state.withLock { $0.isUrgent = false } }
}
