import BunnyBroadcast
import BunnyMedia
import BunnySystem
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
      var tags = try encoding.arrange(for: slot, forcingKeyframe: false, shift: 0)
      guard encoding.takes(slot) else { return tags }
      let picture = pictures.picture(time: MonotonicTime(nanoseconds: 0)) { y, u, v in
        for plane in [y, u, v] {
          for index in 0..<(plane.stride * plane.height) {
            plane.bytes[index] = UInt8(truncatingIfNeeded: 16 + index % 97 + Int(slot))
          }
        }
      }
      let fitted = try encoding.converter.convert(picture)
      tags += try encoding.encode(fitted, in: slot, forcingKeyframe: false, shift: 0)
      return tags
    }
  }

  @Test func `without orders there is a keyframe a second and one header`() throws {
    let tags = try encode(0..<30) + encoding.finish(shift: 0)
    #expect(tags.map(\.dts) == (0..<30).map { $0 * 100 })
    #expect(tags.filter(\.isKeyframe).map(\.dts) == [0, 1000, 2000])
    #expect(Set(tags.map(\.parameters)) == [encoding.header.body])
  }

  @Test func `a smaller picture waits for the keyframe that is due, and nothing is lost`() throws {
    var tags = try encode(0..<13)
    var limit = EncodingPlan.Limit()
    limit.size = .half
    orders.limit(limit, by: .network)
    tags += try encode(13..<30) + encoding.finish(shift: 0)
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
    tags += try encode(13..<30) + encoding.finish(shift: 0)
    let halved = stride(from: Int64(14), to: 30, by: 2)
    #expect(tags.map(\.dts) == (Array(0..<14) + Array(halved)).map { $0 * 100 })
    #expect(tags.filter(\.isKeyframe).map(\.dts) == [0, 1000, 1400, 2400])
    #expect(!orders.current.isUrgent)
  }

  @Test func `a bit rate is taken by the encoder that runs`() throws {
    var tags = try encode(0..<13)
    var limit = EncodingPlan.Limit()
    limit.bitrate = 150_000  // over a buffer of one second
    orders.limit(limit, by: .network)
    tags += try encode(13..<60) + encoding.finish(shift: 0)
    #expect(tags.filter(\.isKeyframe).map(\.dts) == stride(from: 0, to: 6000, by: 1000).map(\.self))
    #expect(Set(tags.map(\.parameters)) == [encoding.header.body])
    func bits(_ range: Range<Int>) -> Int { tags[range].reduce(0) { $0 + $1.body.count * 8 } }
    #expect(bits(0..<10) > 250_000 && bits(30..<60) < 500_000)
  }
}
