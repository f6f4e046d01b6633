import BunnyCapture
import BunnyMedia
import Foundation
import Support
import Testing

extension DeviceTests {
  /// Bars that a camera delivers, in the broadcast; `scripts/soak` asks for every form of them.
  @Suite struct Colours {
    struct Form: CustomTestStringConvertible, Sendable {
      let format: FourCC
      var isFullRange = false
      var testDescription: String { "\(format)\(isFullRange ? ", full range" : "")" }
      var bars: ColourBars { ColourBars(.bt601, isFullRange: isFullRange) }

      func frame() -> [UInt8] {
        switch format {
        case "NV12": bars.nv12
        case "YUYV": bars.yuyv
        default: JPEGMaker().jpeg(bars.planar, quality: 100)
        }
      }
    }

    static let forms: [Form] = {
      let first = Form(format: "YUYV", isFullRange: true)
      let others = [
        Form(format: "YUYV"), Form(format: "NV12"), Form(format: "MJPG", isFullRange: true),
      ]
      return DeviceLab.isSoak ? [first] + others : [first]
    }()

    @Test(arguments: forms)
    func `a camera's colours come out of the ingest within two levels`(form: Form) async throws {
      try await DeviceLab.reloadLoopback()
      let projector = try Projector(
        form.format, width: ColourBars.width, height: ColourBars.height, framesPerSecond: 15
      ) {
        let frame = form.frame()
        return { _, _ in frame }
      }
      defer { projector.end() }
      let small = try SmallPublish(
        video: DeviceLab.loopbackCamera, width: ColourBars.width, bitrate: 8_000_000)
      let broadcast = try await LabBroadcast(
        small, ["--duration", "2", "--camera-range", form.isFullRange ? "full" : "auto"])
      let ending = try await broadcast.end(byItself: true)
      let error = form.bars.error(of: try #require(try Film(ending.path).picture))
      DeviceLab.report("colours of \(form.testDescription)", "off by \(error)")
      #expect(error <= 2)
    }
  }
}
