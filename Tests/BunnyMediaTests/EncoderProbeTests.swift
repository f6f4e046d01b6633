import BunnyMedia
import Support
import Testing

/// Encoders that do what they promise, and what comes of x264 made to break each promise.
@Suite struct EncoderProbeTests {
  private static func settings(
    _ change: (inout VideoEncoder.Settings) -> Void = { _ in }
  ) -> VideoEncoder.Settings {
    var settings = VideoEncoder.Settings(
      width: 320, height: 180, frameRate: Timebase(30, 1), bitrate: 500_000)
    settings.preset = "ultrafast"
    (settings.lookahead, settings.threads) = (0, 1)
    change(&settings)
    return settings
  }

  /// What is said of an encoder that was asked for `asked`, and does `done`.
  private func problem(
    _ asked: VideoEncoder.Settings, _ done: VideoEncoder.Settings,
    keyframes: Set<Int64> = EncoderProbe.keyframes, parameterSets: [UInt8]? = nil,
    _ change: ([Packet]) -> [Packet] = { $0 }
  ) throws -> String? {
    let encoder = try VideoEncoder(done)
    let packets = try EncoderProbe.encode(with: encoder, done, keyframes: keyframes)
    return EncoderProbe.problem(
      change(packets), parameterSets: parameterSets ?? encoder.parameters.extradata, asked)?
      .description
  }

  @Test(arguments: ["main", "high"])
  func `x264 does what it promises`(profile: String) throws {
    let settings = Self.settings { ($0.profile, $0.preset) = (profile, "superfast") }
    let probe = try EncoderProbe(settings)
    #expect(probe.parameterSets.prefix(5) == [0, 0, 0, 1, 0x67])
    #expect(try problem(settings, settings) == nil)
  }

  @Test func `an encoder without parameter sets is found out`() throws {
    let settings = Self.settings { $0.preset = "superfast" }
    #expect(try problem(settings, settings, parameterSets: []) == "it tells no parameter sets")
  }

  @Test func `another profile is found out`() throws {
    let asked = Self.settings { ($0.preset, $0.profile) = ("superfast", "main") }
    let done = Self.settings { $0.preset = "superfast" }
    #expect(try problem(asked, done) == "its profile is 100, and not 77")
  }

  @Test func `a keyframe that was asked for in vain is found out`() throws {
    let settings = Self.settings { $0.preset = "superfast" }
    #expect(
      try problem(settings, settings, keyframes: [0, 8])
        == "it made no keyframe of picture 19, which was to be one")
  }

  @Test func `pictures that get lost or mixed up are found out`() throws {
    let settings = Self.settings { $0.preset = "superfast" }
    #expect(
      try problem(settings, settings) { $0.dropLast() }
        == "of 30 pictures 29 came out, or not in their order")
    #expect(try problem(settings, settings) { $0.reversed() } != nil)
  }

  @Test(arguments: [(6, true), (1, false)])
  func `a rate that is not the one asked for is found out`(_ factor: Int, _ isMore: Bool) throws {
    let asked = Self.settings {
      ($0.preset, $0.bitrate) = ("superfast", isMore ? 400_000 : 6_000_000)
    }
    let done = Self.settings { ($0.preset, $0.bitrate) = ("superfast", 400_000 * factor) }
    let problem = try #require(try problem(asked, done))
    #expect(problem.contains("kbit/s of noise, and was to make \(asked.bitrate / 1000)"))
  }

  @Test(arguments: [VideoEncoder.Kind.v4l2m2m, .vaapi])
  func `what is not there is no encoder, and says so`(_ kind: VideoEncoder.Kind) {
    let trouble = #expect(throws: EncoderProbe.Problem.self) {
      try EncoderProbe(Self.settings { $0.kind = kind })
    }
    let reason = EncodingHardware.refusal(of: kind.rawValue)
    #expect(trouble?.description.hasPrefix(reason) ?? false)
  }
}
