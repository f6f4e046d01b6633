import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

/// Bars as cameras deliver them, on their way through the converter, the encoder and a decoder.
@Suite struct ColourTests {
  enum Form: String, CaseIterable {
    case yuyvLimited, yuyvFull, yuyvOfHD, nv12, jpeg

    var bars: ColourBars {
      switch self {
      case .yuyvLimited, .nv12: ColourBars(.bt601, isFullRange: false)
      case .yuyvFull, .jpeg: ColourBars(.bt601, isFullRange: true)
      case .yuyvOfHD: ColourBars(.bt709, isFullRange: false)
      }
    }

    private var colour: FrameColour {
      FrameColour(self == .yuyvOfHD ? .bt709 : .bt601, isFullRange: self == .yuyvFull)
    }

    func picture() throws -> Picture {
      switch self {
      case .yuyvLimited, .yuyvFull, .yuyvOfHD: try copied("yuyv422", bars.yuyv)
      case .nv12: try copied("nv12", bars.nv12)
      case .jpeg:
        try JPEGMaker().jpeg(bars.planar, quality: 100).withUnsafeBytes {
          try JPEGDecoder().decode($0, time: .now)
        }
      }
    }

    private func copied(_ format: String, _ bytes: [UInt8]) throws -> Picture {
      var bytes = bytes
      let form = FrameForm(format, width: ColourBars.width, height: ColourBars.height, colour)
      return try #require(.copied(&bytes, count: bytes.count, form, time: .now))
    }
  }

  @Test(arguments: Form.allCases)
  func `bars come out of the decoded stream within two levels`(_ form: Form) throws {
    let (width, height) = (ColourBars.width, ColourBars.height)
    let converter = PictureConverter(width: width, height: height, fill: .letterbox)
    let converted = try converter.convert(try form.picture())
    #expect(form.bars.error(of: converted) <= 1, "\(form): conversion")
    var settings = VideoEncoder.Settings(
      width: width, height: height, frameRate: Timebase(30, 1), bitrate: 20_000_000)
    settings.lookahead = 0
    let encoder = try VideoEncoder(settings)
    var packets: [Packet] = []
    for number: Int64 in 0..<15 { packets += try encoder.encode(converted, at: number) }
    packets += try encoder.finish()
    let decoder = try Decoder(encoder.parameters)
    var decoded = packets.flatMap { decoder.pictures($0, at: .now) }
    decoded += decoder.pictures(nil, at: .now)
    #expect(decoded.count == 15 && decoder.errors == 0)
    for picture in decoded { #expect(form.bars.error(of: picture) <= 2, "\(form)") }
  }
}

extension ColourTests {
  /// The samples beside the last ones that belong to the picture stay as they were.
  @Test func `a narrow picture's colours are converted, and the bars beside it are black`() throws {
    let (width, height) = (ColourBars.width + 64, ColourBars.height)
    let converted = try PictureConverter(width: width, height: height, fill: .letterbox)
      .convert(try Form.yuyvFull.picture())
    converted.withPlanes { y, u, v in
      for row in 0..<height {
        for x in Array(0..<32) + Array((width - 32)..<width) {
          #expect(y.bytes[row * y.stride + x] == 16)
          let chroma = row / 2 * u.stride + x / 2
          #expect(u.bytes[chroma] == 128 && v.bytes[chroma] == 128)
        }
      }
      // The first bar is grey of 75 %.
      #expect(abs(Int(y.bytes[48 * y.stride + 48]) - 180) <= 1)
    }
  }
}
