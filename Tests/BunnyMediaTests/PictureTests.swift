import BunnyMedia
import BunnySystem
import Testing

@Suite struct PictureFitTests {
  typealias Rectangle = PictureFit.Rectangle

  private func fit(
    _ width: Int, _ height: Int, _ aspect: Double = 1, in frame: (Int, Int),
    _ fill: PictureFit.Fill
  ) -> PictureFit {
    PictureFit(picture: (width, height, aspect), frame: frame, fill: fill)
  }

  @Test func `a picture of the frame's shape fills it, whatever its size`() {
    for fill in PictureFit.Fill.allCases {
      let scaled = fit(1920, 1080, in: (1280, 720), fill)
      #expect(scaled.source == Rectangle(x: 0, y: 0, width: 1920, height: 1080))
      #expect(scaled.target == Rectangle(x: 0, y: 0, width: 1280, height: 720))
      #expect(fit(1280, 720, in: (854, 480), fill).target.width == 854)
    }
  }

  @Test func `4 to 3 gets bars at the sides, or loses top and bottom`() {
    let barred = fit(640, 480, in: (1280, 720), .letterbox)
    #expect(barred.target == Rectangle(x: 160, y: 0, width: 960, height: 720))
    let cropped = fit(640, 480, in: (1280, 720), .crop)
    #expect(cropped.source == Rectangle(x: 0, y: 60, width: 640, height: 360))
    #expect(cropped.target == Rectangle(x: 0, y: 0, width: 1280, height: 720))
  }

  @Test func `wide film gets bars above and below, or loses its sides`() {
    let barred = fit(2390, 1000, in: (1920, 1080), .letterbox)
    #expect(barred.target == Rectangle(x: 0, y: 138, width: 1920, height: 804))
    #expect(fit(2390, 1000, in: (1920, 1080), .crop).source.width == 1778)
  }

  @Test func `pixels that are not square are counted`() {
    // DV at 16 to 9: 720x576 pixels, each 64 wide for 45 high.
    let wide = fit(720, 576, 64.0 / 45, in: (1280, 720), .letterbox)
    #expect(wide.target == Rectangle(x: 0, y: 0, width: 1280, height: 720))
  }

  @Test func `landscape in a portrait frame, and the smallest sizes, stay inside and even`() {
    let sizes = [(2, 2), (3, 5), (17, 9), (64, 4000), (4000, 64), (1279, 719)]
    for (width, height) in sizes {
      for frame in [(480, 854), (64, 64), (1280, 720)] {
        for fill in PictureFit.Fill.allCases {
          let fit = fit(width, height, in: frame, fill)
          #expect(fit.target.x >= 0 && fit.target.x + fit.target.width <= frame.0)
          #expect(fit.target.y >= 0 && fit.target.y + fit.target.height <= frame.1)
          #expect(fit.source.x + fit.source.width <= width && fit.source.width > 0)
          #expect(fit.source.y + fit.source.height <= height && fit.source.height > 0)
          #expect(fit.target.x % 2 == 0 && fit.target.y % 2 == 0)
          #expect(fit.target.width % 2 == 0 && fit.target.height % 2 == 0)
        }
      }
    }
  }
}

@Suite struct TimebaseTests {
  @Test func `frame rates of television are thousandths of 1001`() {
    #expect(Timebase.frameRate(30) == Timebase(30, 1))
    #expect(Timebase.frameRate(29.97) == Timebase(30_000, 1001))
    #expect(Timebase.frameRate(59.94) == Timebase(60_000, 1001))
    #expect(Timebase.frameRate(23.976) == Timebase(24_000, 1001))
    #expect(Timebase.frameRate(12.5) == Timebase(25, 2))
  }

  @Test func `conversions keep 64 bits`() {
    let month: Int64 = 31 * 86_400_000
    #expect(Timebase.milliseconds.convert(month, to: .nanoseconds) == month * 1_000_000)
    #expect(Timebase(1, 48_000).convert(1 << 40, to: .milliseconds) == (1 << 40) / 48)
  }
}
