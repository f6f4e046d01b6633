package import BunnyMedia
package import BunnySystem

extension BroadcastConfiguration {
  /// What the encoder is opened with, and which one: that asked for, if it proves that it works, else x264,
  /// unless the processor will hardly carry the quality even with the lightest effort, and one in hardware
  /// proves that it works.
  package func chosenSettings(
    _ notice: (String) -> Void, facts: ProcessorFacts = ProcessorFacts()
  ) -> VideoEncoder.Settings {
    var settings = videoSettings
    if let encoder {
      settings.kind = encoder
      guard encoder != .x264 else { return settings }
      do throws(EncoderProbe.Problem) { _ = try EncoderProbe(settings) } catch {
        settings.kind = .x264
        notice(
          "--encoder \(encoder.rawValue) does not work here: \(error); libx264 encodes instead, and "
            + "`bunny-broadcast encoders` tells what else does")
      }
      return settings
    }
    let setup = ProcessorRule.Setup(settings, facts, processors: facts.usable)
    guard setup.isTooMuch else { return settings }
    settings.kind = Self.hardware(for: settings, notice)
    return settings
  }

  private static func hardware(
    for settings: VideoEncoder.Settings, _ notice: (String) -> Void
  ) -> VideoEncoder.Kind {
    var reasons: [String] = []
    for kind in VideoEncoder.Kind.allCases where kind != .x264 {
      var settings = settings
      settings.kind = kind
      do throws(EncoderProbe.Problem) {
        _ = try EncoderProbe(settings)
        notice("\(kind.rawValue) encodes, as this processor will hardly do; --encoder chooses")
        return kind
      } catch { reasons.append("\(kind.rawValue): \(error)") }
    }
    notice(
      "this processor may be too slow for the quality, and nothing else encodes: "
        + reasons.joined(separator: "; "))
    return .x264
  }
}

extension ProcessorRule.Setup {
  /// Even the lightest effort would keep more than two thirds of the processors busy, by expectation.
  package var isTooMuch: Bool {
    expected * EncoderEffort.lightest.cost / frame > processors * 2 / 3
  }
}
