import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

/// What follows when an encoder in hardware does not open, or fails in mid-broadcast: here none works.
@Suite struct EncoderFallTests {
  private let settings: VideoEncoder.Settings
  private let orders: EncodingOrders

  init() {
    var settings = VideoEncoder.Settings(
      width: 640, height: 360, frameRate: Timebase(30, 1), bitrate: 500_000)
    settings.kind = .vaapi
    self.settings = settings
    orders = EncodingOrders(settings)
  }

  private func limit(_ effort: EncoderEffort?, frameDivisor: Int = 1) -> EncodingPlan.Limit {
    var limit = EncodingPlan.Limit()
    (limit.effort, limit.threads, limit.frameDivisor) = (effort, 1, frameDivisor)
    return limit
  }

  @Test func `x264 has the effort that was ordered for it, and the picture's form stays`() throws {
    orders.limit(limit(nil, frameDivisor: 2), by: .processor)
    orders.limitX264(limit(.lighter))
    var notices: [String] = []
    let supply = EncoderSupply(settings, orders) { notices.append($0) }
    var plan = orders.current.plan
    let opened = try supply.next(&plan)
    #expect(opened.settings.kind == .x264 && opened.settings.preset == "superfast")
    #expect(plan.effort == .lighter && plan.threads == 1 && plan.frameDivisor == 2)
    // The hardware could not do all pictures; that says nothing of x264.
    #expect(orders.isHardwareGivenUp && orders.current.plan.frameDivisor == 1)
    let reason = EncodingHardware.refusal(of: "h264_vaapi")
    let start = "h264_vaapi is given up for libx264: \(reason)"
    #expect(notices.count == 1 && notices[0].hasPrefix(start))
    _ = try supply.next(&plan)
    #expect(notices.count == 1)
  }

  @Test func `what the network took off stays off`() {
    var network = EncodingPlan.Limit()
    (network.bitrate, network.size) = (100_000, .half)
    orders.limit(network, by: .network)
    orders.limitX264(limit(.light))
    orders.giveUpHardware()
    let plan = orders.current.plan
    #expect(plan.bitrate == 100_000 && plan.size == .half && plan.effort == .light)
  }

  @Test func `an encoding that begins with it goes on with x264`() throws {
    orders.limitX264(limit(.lightest))
    var notices: [String] = []
    let encoding = try PictureEncoding(settings, fill: .letterbox, orders: orders) {
      notices.append($0)
    }
    #expect(encoding.plan.effort == .lightest && notices.count == 1)
    // What is ordered is what is encoded to: nothing is opened anew.
    #expect(try encoding.arranged(for: 0).isEmpty)
  }

  @Test(arguments: [EncodingStep.Wish.auto, .effort(.good), .preset(cost: 2)])
  func `afterwards a processor that cannot keep up gets x264's lighter efforts`(
    _ wish: EncodingStep.Wish
  ) {
    var watch = ProcessorWatch(settings, wish: wish, folder: nil, orders: orders) { _ in }
    #expect(orders.current.plan.effort == nil)
    orders.giveUpHardware()
    let first = orders.current.plan
    #expect((first.effort == nil) == (wish == .preset(cost: 2)))
    var now = MonotonicTime.now
    for _ in 0..<20 {
      now = now + .milliseconds(260)
      for _ in 0..<3 {
        // Three times as long as there is, with as little effort as we have.
        watch.encoded(
          converting: 0, encoding: .milliseconds(90), to: orders.current.plan)
      }
      watch.look(orders.current.plan, waiting: 6, at: now)
    }
    #expect(orders.current.plan.effort == .lightest)
  }

  @Test func `hardware that cannot keep up has no effort to take back`() {
    var watch = ProcessorWatch(settings, wish: .auto, folder: nil, orders: orders) { _ in }
    var now = MonotonicTime.now
    for _ in 0..<20 {
      now = now + .milliseconds(260)
      for _ in 0..<3 {
        watch.encoded(converting: 0, encoding: .milliseconds(90), to: orders.current.plan)
      }
      watch.look(orders.current.plan, waiting: 6, at: now)
    }
    #expect(orders.current.plan.effort == nil && orders.current.plan.frameDivisor == 2)
  }

  @Test func `an encoder that does not open one quality has a row that says so`() {
    var quality = BroadcastQuality.sd480
    quality.resolution = .custom(width: 320, height: 180)
    let survey = EncoderSurvey([("small", quality)]) { kind, _ in
      kind == .v4l2m2m ? "it is not there" : nil
    }
    #expect(survey.encoders.map(\.problem) == [nil, "it is not there", nil])
    let x264 = survey.rows.filter { $0.kind == .x264 }
    #expect(x264.map(\.effort) == EncoderEffort.allCases)
    #expect(x264.allSatisfy { $0.cost != nil && $0.problem == nil })
    let others = survey.rows.filter { $0.kind != .x264 }
    #expect(others.count == 1 && others[0].kind == .vaapi && others[0].cost == nil)
    let reason = EncodingHardware.refusal(of: "h264_vaapi")
    #expect(others[0].problem?.hasPrefix(reason) ?? false)
  }
}
