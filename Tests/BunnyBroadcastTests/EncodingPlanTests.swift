import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Testing

@Suite struct EncodingPlanTests {
  private let quality = VideoEncoder.Settings(
    width: 1280, height: 720, frameRate: .frameRate(29.97), bitrate: 2_500_000)

  @Test func `nobody's limits leave the quality as it is`() {
    let plan = EncodingPlan(quality, [.init(), .init()])
    #expect(plan.settings(quality) == quality)
  }

  @Test func `of two limits the stricter one counts, point by point`() {
    var network = EncodingPlan.Limit()
    network.bitrate = 800_000
    network.frameDivisor = 2
    var processor = EncodingPlan.Limit()
    processor.size = .half
    processor.effort = .lighter
    let settings = EncodingPlan(quality, [network, processor]).settings(quality)
    #expect(settings.bitrate == 800_000)
    #expect(settings.frameRate == Timebase(30_000, 2_002))
    #expect(settings.lookahead == 5)
    #expect((settings.width, settings.height) == (640, 360))
    #expect(settings.preset == "superfast" && settings.x264["cabac"] == "0")
  }

  @Test func `a limit above the quality takes nothing off`() {
    var network = EncodingPlan.Limit()
    network.bitrate = 9_000_000
    #expect(EncodingPlan(quality, [network]).bitrate == 2_500_000)
  }

  @Test(arguments: [
    (EncodingPlan.Size.threeQuarters, 854, 480, 640, 360), (.half, 854, 480, 426, 240),
    (.threeQuarters, 1280, 720, 960, 540), (.half, 64, 64, 32, 32),
  ])
  func `sides stay even`(
    size: EncodingPlan.Size, width: Int, height: Int, expectedWidth: Int, expectedHeight: Int
  ) {
    let quality = VideoEncoder.Settings(
      width: width, height: height, frameRate: Timebase(30, 1), bitrate: 1_000_000)
    var limit = EncodingPlan.Limit()
    limit.size = size
    let settings = EncodingPlan(quality, [limit]).settings(quality)
    #expect((settings.width, settings.height) == (expectedWidth, expectedHeight))
  }

  @Test func `orders are urgent until they are obeyed`() {
    let orders = EncodingOrders(quality)
    #expect(!orders.current.isUrgent && orders.current.plan.bitrate == 2_500_000)
    var limit = EncodingPlan.Limit()
    limit.bitrate = 1_000_000
    orders.limit(limit, by: .network)
    #expect(!orders.current.isUrgent && orders.current.plan.bitrate == 1_000_000)
    limit.frameDivisor = 2
    orders.limit(limit, by: .processor, atOnce: true)
    #expect(orders.current.isUrgent && orders.current.plan.frameDivisor == 2)
    orders.obeyed()
    #expect(!orders.current.isUrgent && orders.current.plan.frameDivisor == 2)
  }
}
