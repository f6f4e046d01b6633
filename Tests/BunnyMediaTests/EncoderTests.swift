import BunnyMedia
import BunnySystem
import Testing

@Suite struct VideoEncoderTests {
  private let pool = PicturePool(width: 320, height: 180)

  /// A picture that differs from every other, so that nothing is free to encode.
  private func picture(_ number: Int) -> Picture {
    pool.picture(time: .now) { y, u, v in
      for row in 0..<y.height {
        for column in 0..<y.width {
          y.bytes[row * y.stride + column] =
            UInt8(16 + (row &* 7 &+ column &* 3 &+ number &* 11) % 200)
        }
      }
      for plane in [u, v] {
        plane.bytes.update(repeating: 128, count: plane.stride * plane.height)
      }
    }
  }

  private func settings(
    fps: Int32 = 30, _ change: (inout VideoEncoder.Settings) -> Void = { _ in }
  ) -> VideoEncoder.Settings {
    var settings = VideoEncoder.Settings(
      width: 320, height: 180, frameRate: Timebase(fps, 1), bitrate: 500_000)
    change(&settings)
    return settings
  }

  private func encode(
    _ count: Int, _ settings: VideoEncoder.Settings, forcing: Set<Int> = []
  ) throws -> [Packet] {
    let encoder = try VideoEncoder(settings)
    var packets: [Packet] = []
    for number in 0..<count {
      packets += try encoder.encode(
        picture(number), at: Int64(number), forcingKeyframe: forcing.contains(number))
    }
    return try packets + encoder.finish()
  }

  @Test func `a keyframe every two seconds, and no other`() throws {
    let packets = try encode(200, settings())
    #expect(packets.count == 200)
    #expect(packets.filter(\.isKeyframe).map(\.pts) == [0, 60, 120, 180])
  }

  @Test func `after a forced keyframe the count begins anew`() throws {
    let packets = try encode(200, settings(), forcing: [45])
    #expect(packets.filter(\.isKeyframe).map(\.pts) == [0, 45, 105, 165])
  }

  @Test func `without B-frames packets are decoded as they are shown`() throws {
    let packets = try encode(90, settings())
    #expect(packets.map(\.pts) == (0..<90).map { Int64($0) })
    #expect(packets.map(\.dts) == packets.map(\.pts))
  }

  @Test func `with B-frames dts rises, pts is complete, and groups stay closed`() throws {
    let packets = try encode(130, settings { $0.bFrames = 3 })
    #expect(packets.map(\.dts) == packets.map(\.dts).sorted())
    #expect(Set(packets.map(\.pts)) == Set((0..<130).map { Int64($0) }))
    #expect(packets.contains { $0.pts > $0.dts + 1 })
    // Nothing that is decoded after a keyframe is shown before it.
    for key in packets.filter(\.isKeyframe) {
      #expect(packets.filter { $0.dts > key.dts }.allSatisfy { $0.pts > key.pts })
    }
  }

  @Test func `the delay without look-ahead is that of the frame threads`() throws {
    let encoder = try VideoEncoder(
      settings { settings in
        settings.lookahead = 0
        settings.threads = 1
      })
    #expect(try encoder.encode(picture(0), at: 0).count == 1)
  }

  @Test func `filler keeps the rate where the picture is easy`() throws {
    let still = pool.picture(time: .now) { y, u, v in
      for plane in [y, u, v] {
        plane.bytes.update(repeating: 120, count: plane.stride * plane.height)
      }
    }
    func bytes(filler: Bool) throws -> Int {
      let encoder = try VideoEncoder(settings { $0.filler = filler })
      var packets: [Packet] = []
      for number in 0..<150 { packets += try encoder.encode(still, at: Int64(number)) }
      return try (packets + encoder.finish()).reduce(0) { $0 + $1.size }
    }
    let full = 500_000 / 8 * 5
    #expect(try bytes(filler: false) < full / 5)
    #expect(abs(try bytes(filler: true) - full) < full / 10)
  }

  @Test func `settings that x264 refuses are an error, not a trap`() {
    #expect(throws: AVFailure.self) { try VideoEncoder(settings { $0.preset = "fastest" }) }
    #expect(throws: AVFailure.self) { try VideoEncoder(settings { $0.profile = "lowest" }) }
  }
}

@Suite struct AudioEncoderTests {
  @Test func `packets are 1024 samples apart, the first one is the priming`() throws {
    let encoder = try AudioEncoder(bitrate: 128_000)
    var packets = try encoder.encode(nil, 0..<700)
    packets += try encoder.encode(nil, 0..<5000)
    packets += try encoder.finish()
    #expect(packets.first?.pts == -1024)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.pts - $0.pts == 1024 })
    #expect(packets.last.map { $0.pts + 1024 } ?? 0 >= 5700)
  }

  @Test func `a jump leaves a hole and goes on there`() throws {
    let encoder = try AudioEncoder(bitrate: 128_000)
    var packets = try encoder.encode(nil, 0..<2000)
    packets += try encoder.jump(to: 480_000)
    packets += try encoder.encode(nil, 0..<4096)
    packets += try encoder.finish()
    let pts = packets.map(\.pts)
    #expect(pts == [-1024, 0, 1024, 480_000, 481_024, 482_048, 483_072])
  }

  @Test func `a tag of the priming is none, and headers are there before media`() throws {
    let encoder = try AudioEncoder(bitrate: 128_000)
    let muxer = try TagMuxer(encoder.parameters)
    #expect(muxer.sequenceHeader.isSequenceHeader)
    #expect(muxer.sequenceHeader.body.starts(with: [0xAF, 0]))
    let packets = try encoder.encode(nil, 0..<4096) + encoder.finish()
    let tags = try packets.compactMap { try muxer.tag($0) }
    #expect(tags.map(\.dts).prefix(3) == [0, 21, 43])
    #expect(tags.allSatisfy { $0.kind == .audio && $0.body.starts(with: [0xAF, 1]) })
    #expect(packets[0].pts == -1024)
    #expect(try TagMuxer(encoder.parameters).tag(packets[0]) == nil)
    #expect(try TagMuxer(encoder.parameters).tag(packets[0], shift: 100)?.dts == nil)
  }
}

@Suite struct TagMuxerTests {
  @Test func `tags keep 64 bits of time, keyframes and composition times`() throws {
    var settings = VideoEncoder.Settings(
      width: 64, height: 64, frameRate: Timebase(25, 1), bitrate: 100_000)
    settings.bFrames = 2
    let encoder = try VideoEncoder(settings)
    let muxer = try TagMuxer(encoder.parameters)
    #expect(muxer.sequenceHeader.body.starts(with: [0x17, 0, 0, 0, 0]))
    let pool = PicturePool(width: 64, height: 64)
    let base: Int64 = (1 << 33) / 40  // frames: far beyond 2^32 ms
    var packets: [Packet] = []
    for number in 0..<60 {
      let picture = pool.picture(time: .now) { y, u, v in
        for plane in [y, u, v] {
          plane.bytes.update(
            repeating: UInt8(50 + number), count: plane.stride * plane.height)
        }
      }
      packets += try encoder.encode(picture, at: base + Int64(number))
    }
    packets += try encoder.finish()
    let tags = try packets.compactMap { try muxer.tag($0, shift: 80) }
    #expect(tags.count == 60)
    #expect(zip(packets, tags).allSatisfy { $1.dts == $0.dts * 40 + 80 })
    #expect(zip(packets, tags).allSatisfy { $1.cts == ($0.pts - $0.dts) * 40 })
    #expect(tags.filter(\.isKeyframe).count == packets.filter(\.isKeyframe).count)
    for tag in tags {
      #expect(tag.body[0] == (tag.isKeyframe ? 0x17 : 0x27) && tag.body[1] == 1)
      let cts = Int64(tag.body[2]) << 16 | Int64(tag.body[3]) << 8 | Int64(tag.body[4])
      #expect(cts == tag.cts)
    }
  }

  @Test func `a frame is units with their lengths, a keyframe its parameter sets first`() throws {
    var settings = VideoEncoder.Settings(
      width: 64, height: 64, frameRate: Timebase(25, 1), bitrate: 100_000)
    (settings.keyframeSeconds, settings.threads, settings.slicedThreads) = (0.4, 4, true)
    let encoder = try VideoEncoder(settings)
    let muxer = try TagMuxer(encoder.parameters)
    let pool = PicturePool(width: 64, height: 64)
    var packets: [Packet] = []
    for number in 0..<25 {
      packets += try encoder.encode(EncoderProbe.noise(Int64(number), pool), at: Int64(number))
    }
    packets += try encoder.finish()
    let tags = try packets.compactMap { try muxer.tag($0) }
    #expect(tags.count == 25)
    for tag in tags {
      var (types, rest) = ([UInt8](), tag.body.dropFirst(5))
      while let length = rest.bigEndianLength, length > 0, rest.count >= 4 + length {
        types.append(rest[rest.startIndex + 4] & 0x1F)
        rest = rest.dropFirst(4 + length)
      }
      #expect(rest.isEmpty)
      #expect(types.starts(with: tag.isKeyframe ? [7, 8] : [1]), "\(types)")
      #expect(types.contains(tag.isKeyframe ? 5 : 1))
    }
    #expect(tags.filter(\.isKeyframe).count == 3)
  }
}

extension Collection<UInt8> {
  fileprivate var bigEndianLength: Int? {
    count >= 4 ? prefix(4).reduce(0) { $0 << 8 | Int($1) } : nil
  }
}
