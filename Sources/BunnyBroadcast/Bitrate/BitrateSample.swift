package import BunnySystem

// What a rule is told, and what it says.
extension BitrateRule {
  /// What a connection does.
  package struct Sample: Sendable {
    package var time: MonotonicTime
    /// Of the connection: with another one nothing is known.
    package var connection: Int
    /// Nanoseconds that the oldest unsent tag has waited.
    package var queueAge: Int64
    /// Bytes of this connection that are known to have arrived.
    package var confirmed: Int64
    /// nil: none are.
    package var figures: DeliveryFigures?
    /// The last burst.
    package var burst: Burst?
    /// Bytes that the encoders have made so far.
    package var made: Int64

    package init(
      time: MonotonicTime, connection: Int, queueAge: Int64, confirmed: Int64,
      figures: DeliveryFigures?, burst: Burst? = nil, made: Int64
    ) {
      (self.time, self.connection, self.queueAge) = (time, connection, queueAge)
      (self.confirmed, self.figures, self.burst) = (confirmed, figures, burst)
      self.made = made
    }
  }

  /// What went to the kernel at once came through at this pace.
  package struct Burst: Sendable {
    package let bytesPerSecond: Double
    package let at: MonotonicTime

    package init(bytesPerSecond: Double, at: MonotonicTime) {
      (self.bytesPerSecond, self.at) = (bytesPerSecond, at)
    }
  }

  /// Why the target is what it is.
  package enum Reason: Equatable, Sendable {
    /// Bit/s that the network has been seen to carry.
    case carries(Double)
    /// Milliseconds of media wait.
    case catchingUp(Int64)
    case trying
  }

  package struct Limits: Sendable {
    /// Bit/s of the picture: the quality's.
    package let most: Double
    package let least: Double
    /// The same while what has piled up is worked off.
    package var leastForAMoment: Double { min(least, 300_000) }
    /// Bit/s of the sound.
    package let sound: Double

    package init(picture: Int, sound: Int) {
      most = Double(picture)
      least = min(most, max(0.15 * most, 300_000))
      self.sound = Double(sound)
    }
  }
}
