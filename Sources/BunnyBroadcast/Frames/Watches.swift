import BunnyCapture
import BunnySystem

extension Lanes {
  /// Watches the picture.
  static func watch(
    _ capture: Capture, _ limits: VitalLimits, _ telemetry: Telemetry, _ events: EventHub
  ) -> PictureWatch {
    PictureWatch(limits, telemetry) { change in
      switch change {
      case .frozen:
        events.send(
          .pictureFrozen(for: limits.frozenAfter ?? .zero, reopens: capture.reopenCamera()))
      case .moves: events.send(.pictureMoves)
      case .oneColoured(let colour):
        events.send(.pictureBlack(for: limits.blackAfter ?? .zero, colour: "\(colour)"))
      case .varied: events.send(.pictureVaried)
      }
    }
  }

  /// Watches the sound, if it comes from a microphone; of others only the levels are of interest.
  static func watch(
    _ sound: (any SampleSource)?, _ limits: VitalLimits, _ telemetry: Telemetry, _ events: EventHub
  ) -> SoundWatch {
    var reasons = Mailbox<String>(capacity: 1)
    return SoundWatch(sound?.isWatched == true ? limits : .none, telemetry) { change in
      switch change {
      case .suspicious:
        // The lane does not wait for a mixer: what it says counts if it is there in time.
        let asked = Mailbox<String>(capacity: 1)
        reasons = asked
        sound?.explainSilence { asked.put($0) }
      case .silent:
        var reason: String?
        if case .element(let words) = reasons.take(until: .now) { reason = words }
        events.send(.soundSilent(for: limits.silentAfter ?? .zero, reason: reason))
      case .heard: events.send(.soundHeard)
      }
    }
  }
}
