import BunnyBroadcast
import BunnyMedia
import BunnyRTMP
import Testing

/// What a configuration asks of the encoder.
struct WishTests {
  private func configuration(
    _ change: (inout BroadcastConfiguration) -> Void = { _ in }
  ) throws -> BroadcastConfiguration {
    var configuration = BroadcastConfiguration(
      ingest: try Ingest("rtmp://host/app/key"), quality: .hd720)
    change(&configuration)
    return configuration
  }

  @Test func `it is the processor's choice, the quality file's, or that of --cpu`() throws {
    #expect(try configuration().wish(.x264) == .auto)
    #expect(
      try configuration { $0.quality.encoder.preset = "slow" }.wish(.x264) == .preset(cost: 4))
    let insisting = try configuration {
      $0.quality.encoder.preset = "slow"
      $0.cpu = .light
    }
    #expect(insisting.wish(.x264) == .effort(.light))
    #expect(insisting.wish(.vaapi) == .hardware)
  }

  @Test func `low latency has no look-ahead and no B-frames`() throws {
    let settings = try configuration {
      $0.quality.encoder.bFrames = 2
      $0.latency = .low
    }.videoSettings
    #expect(settings.lookahead == 0 && settings.bFrames == 0)
  }

  @Test(arguments: [(60, 10), (30, 10), (29.97, 10), (25, 9), (15, 5), (10, 4), (1, 1)])
  func `few pictures a second are not looked ahead at for longer`(_ rate: Double, _ pictures: Int)
    throws
  {
    let settings = try configuration { $0.quality.frameRate = rate }.videoSettings
    #expect(settings.lookahead == pictures)
  }

  @Test func `the hardware is asked when the lightest effort would take more than two thirds`() {
    func isTooMuch(_ milliseconds: Double) -> Bool {
      ProcessorRule.Setup(
        framesPerSecond: 30, height: 720, processors: 2, expected: milliseconds * 1e6
      ).isTooMuch
    }
    #expect(!isTooMuch(105) && isTooMuch(107))
  }
}
