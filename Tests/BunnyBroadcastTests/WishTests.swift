import BunnyBroadcast
import BunnyMedia
import BunnyRTMP
import Support
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
    #expect(try configuration().wish == .auto)
    #expect(try configuration { $0.quality.encoder.preset = "slow" }.wish == .preset(cost: 4))
    let insisting = try configuration {
      $0.quality.encoder.preset = "slow"
      $0.cpu = .light
    }
    #expect(insisting.wish == .effort(.light))
  }

  @Test(arguments: [VideoEncoder.Kind.v4l2m2m, .vaapi])
  func `an encoder that was asked for and does not work is no reason to end`(
    _ kind: VideoEncoder.Kind
  ) throws {
    let asking = try configuration {
      $0.encoder = kind
      $0.cpu = .good
    }
    var notices: [String] = []
    let settings = asking.chosenSettings { notices.append($0) }
    #expect(settings.kind == .x264 && notices.count == 1)
    let name = kind.rawValue
    let reason = EncodingHardware.refusal(of: name)
    #expect(notices[0].hasPrefix("--encoder \(name) does not work here: \(reason)"))
    #expect(
      notices[0].hasSuffix(
        "; libx264 encodes instead, and `bunny-broadcast encoders` tells what else does"))
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
    // Of two processors and 33.3 ms.
    let most = 44.44 / EncoderEffort.lightest.cost
    #expect(!isTooMuch(most - 1) && isTooMuch(most + 1))
  }
}
