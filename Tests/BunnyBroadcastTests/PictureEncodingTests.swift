import BunnyBroadcast
import BunnyMedia
import BunnySystem
import CSupport
import Testing

/// What comes out while orders change: times, keyframes and headers.
@Suite struct PictureEncodingTests {
  private let encoding: PictureEncoding
  private let orders: EncodingOrders
  private let pictures = PicturePool(width: 320, height: 180)

  init() throws {
    var settings = VideoEncoder.Settings(
      width: 320, height: 180, frameRate: Timebase(10, 1), bitrate: 300_000)
    settings.preset = "ultrafast"
    settings.keyframeSeconds = 1
    settings.lookahead = 4
    settings.threads = 1
    orders = EncodingOrders(settings)
    encoding = try PictureEncoding(settings, fill: .letterbox, orders: orders)
  }

  /// The tags of the places in `slots`, one picture in each.
  private func encode(_ slots: Range<Int64>) throws -> [MediaTag] {
    try slots.flatMap { slot in
      var tags = try encoding.arranged(for: slot)
      guard encoding.takes(slot) else { return tags }
      let picture = pictures.picture(time: MonotonicTime(nanoseconds: 0)) { y, u, v in
        for plane in [y, u, v] {
          for index in 0..<(plane.stride * plane.height) {
            plane.bytes[index] = UInt8(truncatingIfNeeded: 16 + index % 97 + Int(slot))
          }
        }
      }
      let fitted = try encoding.converter.convert(picture)
      tags += try encoding.encoded(fitted, in: slot)
      return tags
    }
  }

  @Test func `without orders there is a keyframe a second and one header`() throws {
    let tags = try encode(0..<30) + encoding.rest()
    #expect(tags.map(\.dts) == (0..<30).map { $0 * 100 })
    #expect(tags.filter(\.isKeyframe).map(\.dts) == [0, 1000, 2000])
    #expect(Set(tags.map(\.parameters)) == [encoding.header.body])
  }

  @Test func `a smaller picture waits for the keyframe that is due, and nothing is lost`() throws {
    var tags = try encode(0..<13)
    var limit = EncodingPlan.Limit()
    limit.size = .half
    orders.limit(limit, by: .network)
    tags += try encode(13..<30) + encoding.rest()
    #expect(tags.map(\.dts) == (0..<30).map { $0 * 100 })
    #expect(tags.filter(\.isKeyframe).map(\.dts) == [0, 1000, 2000])
    let headers = tags.map(\.parameters)
    #expect(Set(headers[..<20]) == [encoding.header.body])
    #expect(Set(headers[20...]).count == 1 && headers[20] != encoding.header.body)
  }

  @Test func `what is urgent does not wait, and half the frames keep their times`() throws {
    var tags = try encode(0..<13)
    var limit = EncodingPlan.Limit()
    limit.frameDivisor = 2
    orders.limit(limit, by: .processor, atOnce: true)
    tags += try encode(13..<30) + encoding.rest()
    let halved = stride(from: Int64(14), to: 30, by: 2)
    #expect(tags.map(\.dts) == (Array(0..<14) + Array(halved)).map { $0 * 100 })
    #expect(tags.filter(\.isKeyframe).map(\.dts) == [0, 1000, 1400, 2400])
    #expect(!orders.current.isUrgent)
  }

  @Test func `what can begin only at every other place does so after one that is due`() throws {
    var tags = try encode(0..<13)
    var effort = EncodingPlan.Limit()
    effort.effort = .lighter
    orders.limit(effort, by: .processor, atOnce: true)  // from now on GOPs begin at odd places
    tags += try encode(13..<15)
    var limit = EncodingPlan.Limit()
    (limit.frameDivisor, limit.bitrate) = (2, 150_000)
    orders.limit(limit, by: .network)
    tags += try encode(15..<16)
    #expect(encoding.plan.bitrate == 150_000 && encoding.plan.frameDivisor == 1)
    tags += try encode(16..<40) + encoding.rest()
    let halved = stride(from: Int64(24), to: 40, by: 2)
    #expect(tags.map(\.dts) == (Array(0..<24) + Array(halved)).map { $0 * 100 })
    #expect(tags.filter(\.isKeyframe).map(\.dts) == [0, 1000, 1300, 2300, 2400, 3400])
  }

  @Test func `a bit rate is taken by the encoder that runs`() throws {
    var tags = try encode(0..<13)
    var limit = EncodingPlan.Limit()
    limit.bitrate = 150_000  // over a buffer of one second
    orders.limit(limit, by: .network)
    tags += try encode(13..<60) + encoding.rest()
    #expect(tags.filter(\.isKeyframe).map(\.dts) == stride(from: 0, to: 6000, by: 1000).map(\.self))
    #expect(Set(tags.map(\.parameters)) == [encoding.header.body])
    func bits(_ range: Range<Int>) -> Int { tags[range].reduce(0) { $0 + $1.body.count * 8 } }
    #expect(bits(0..<10) > 250_000 && bits(30..<60) < 500_000)
  }
}

/// What the orders make of keyframes, delay and bytes where more than a bit rate changes.
@Suite struct EncodingPromiseTests {
  private static func settings(
    _ change: (inout VideoEncoder.Settings) -> Void = { _ in }
  ) -> VideoEncoder.Settings {
    var settings = VideoEncoder.Settings(
      width: 640, height: 360, frameRate: Timebase(10, 1), bitrate: 300_000)
    settings.keyframeSeconds = 1
    settings.lookahead = 4
    change(&settings)
    return settings
  }

  private func encode(
    _ slots: [Int64], _ settings: VideoEncoder.Settings, _ limit: EncodingPlan.Limit = .init()
  ) throws -> [MediaTag] {
    let orders = EncodingOrders(settings)
    orders.limit(limit, by: .processor)
    let encoding = try PictureEncoding(settings, fill: .letterbox, orders: orders)
    let pool = PicturePool(width: settings.width, height: settings.height)
    var tags: [MediaTag] = []
    for slot in slots {
      tags += try encoding.arranged(for: slot)
      let picture = EncoderProbe.noise(slot, pool)
      tags += try encoding.encoded(picture, in: slot)
    }
    return try tags + encoding.rest()
  }

  /// An encoder's memory is most of a broadcast's.
  @Test func `there is one encoder at a time, whatever changes`() throws {
    support_count_encoders()
    var encoding: PictureEncoding? = nil
    let settings = Self.settings { ($0.preset, $0.threads) = ("ultrafast", 1) }
    let orders = EncodingOrders(settings)
    encoding = try PictureEncoding(settings, fill: .letterbox, orders: orders)
    let pool = PicturePool(width: settings.width, height: settings.height)
    let efforts: [EncoderEffort] = [.lightest, .lighter]
    let sizes: [EncodingPlan.Size] = [.half, .whole, .threeQuarters]
    for slot in Int64(0)..<60 {
      var limit = EncodingPlan.Limit()
      limit.size = sizes[Int(slot) / 4 % 3]
      limit.effort = efforts[Int(slot) / 8 % 2]
      orders.limit(limit, by: .processor, atOnce: slot.isMultiple(of: 4))
      _ = try encoding?.arranged(for: slot)
      guard let picture = try encoding?.converter.convert(EncoderProbe.noise(slot, pool)) else {
        continue
      }
      _ = try encoding?.encoded(picture, in: slot)
      #expect(support_open_encoders() == 1)
    }
    #expect(support_most_encoders() == 1)
    encoding = nil
    #expect(support_open_encoders() == 0)
  }

  @Test func `keyframes stay punctual where pictures are left out`() throws {
    let slots = (0..<40).filter { !$0.isMultiple(of: 3) || $0 == 0 }.map { Int64($0) }
    let tags = try encode(slots, Self.settings { ($0.preset, $0.threads) = ("ultrafast", 1) })
    #expect(tags.map(\.dts) == slots.map { $0 * 100 })
    #expect(tags.filter(\.isKeyframe).map(\.dts) == [0, 1000, 2000, 3100])
  }

  /// With more threads, x264's rate control looks at what the others have done by chance.
  @Test(arguments: [EncoderEffort.lightest, .good, .best])
  func `the same settings make the same bytes, in one thread`(_ effort: EncoderEffort) throws {
    var limit = EncodingPlan.Limit()
    (limit.effort, limit.threads) = (effort, 1)
    let runs = try (0..<2).map { _ in
      try encode((0..<25).map { $0 }, Self.settings(), limit).map(\.body)
    }
    #expect(runs[0].count == 25 && runs[0] == runs[1])
  }

  @Test(arguments: EncoderEffort.allCases)
  func `threads of an effort share each picture, and add no delay`(_ effort: EncoderEffort) throws {
    var limit = EncodingPlan.Limit()
    (limit.effort, limit.threads) = (effort, 2)
    var settings = EncodingPlan(Self.settings(), [limit]).settings(Self.settings())
    #expect(settings.threads == 2 && settings.slicedThreads)
    settings.lookahead = 0
    let encoder = try VideoEncoder(settings)
    let pool = PicturePool(width: settings.width, height: settings.height)
    for number in Int64(0)..<5 {
      #expect(try encoder.encode(EncoderProbe.noise(number, pool), at: number).count == 1)
    }
  }

  @Test func `a quality file's threads and x264 options stay`() {
    let quality = Self.settings { settings in
      settings.threads = 3
      settings.x264 = ["trellis": "0", "aq-strength": "0.8"]
    }
    var limit = EncodingPlan.Limit()
    (limit.effort, limit.threads) = (.good, 2)
    let settings = EncodingPlan(quality, [limit]).settings(quality)
    #expect(settings.threads == 3 && !settings.slicedThreads)
    #expect(settings.x264["trellis"] == "0" && settings.x264["subme"] == "2")
  }

  @Test func `one thread where one core will do, and never a slice that is too low`() {
    #expect(EncoderThreads.count(load: 0.5, processors: 8, height: 1080) == 1)
    #expect(EncoderThreads.count(load: 0.7, processors: 8, height: 1080) == 2)
    #expect(EncoderThreads.count(load: 5, processors: 1.5, height: 1080) == 1)
    #expect(EncoderThreads.count(load: 5, processors: 16, height: 720) == 4)
    #expect(EncoderThreads.count(load: 5, processors: 16, height: 90) == 1)
  }
}
