import BunnyMedia
import BunnySystem
import Testing

@Suite struct PictureLookTests {
  private static let whole = PictureFit.Rectangle(x: 0, y: 0, width: 320, height: 180)

  /// Draws each point of a picture from what `level` says of its plane and place.
  private func picture(_ level: (_ plane: Int, _ x: Int, _ y: Int) -> UInt8) -> Picture {
    PicturePool(width: 320, height: 180).picture(time: .now) { y, u, v in
      for (index, plane) in [y, u, v].enumerated() {
        for row in 0..<plane.height {
          for column in 0..<plane.width {
            plane.bytes[row * plane.stride + column] = level(index, column, row)
          }
        }
      }
    }
  }

  private func plain(_ levels: [UInt8]) -> Picture { picture { plane, _, _ in levels[plane] } }

  static let colours: [([UInt8], String)] = [
    ([16, 128, 128], "black"), ([30, 131, 125], "black"), ([235, 128, 128], "white (#ffffff)"),
    ([126, 128, 128], "grey (#808080)"), ([63, 102, 240], "red (#ff0100)"),
    ([173, 42, 26], "green (#00ff01)"), ([32, 240, 118], "blue (#0100ff)"),
    ([219, 16, 138], "yellow (#feff00)"), ([78, 214, 230], "magenta (#ff00fe)"),
  ]

  @Test(arguments: colours)
  func `a picture of one colour says which`(_ levels: [UInt8], _ words: String) {
    let look = PictureLook(plain(levels), in: Self.whole)
    #expect(look.colour?.description == words)
    #expect(abs(look.brightness - (Double(levels[0]) - 16) / 219) < 1e-9)
  }

  @Test func `noise and a speck do not make it another, and a lamp in the dark does`() {
    let noise = picture { plane, x, y in plane == 0 ? UInt8(16 + (x * 7 + y * 13) % 20) : 128 }
    #expect(PictureLook(noise, in: Self.whole).colour?.description == "black")
    func lit(_ width: Int) -> Picture {
      picture { plane, x, _ in plane == 0 && x < width ? 200 : plane == 0 ? 16 : 128 }
    }
    #expect(PictureLook(lit(2), in: Self.whole).colour?.description == "black")
    #expect(PictureLook(lit(12), in: Self.whole).colour == nil)
    let coloured = picture { plane, x, _ in plane == 1 && x < 80 ? 160 : 128 }
    #expect(PictureLook(coloured, in: Self.whole).colour == nil)
  }

  @Test func `bars are not looked at`() {
    let blue = picture { plane, x, _ in
      let isBar = x * (plane == 0 ? 1 : 2) < 40 || x * (plane == 0 ? 1 : 2) >= 280
      return isBar ? [16, 128, 128][plane] : [32, 240, 118][plane]
    }
    #expect(PictureLook(blue, in: Self.whole).colour == nil)
    let inside = PictureFit.Rectangle(x: 40, y: 0, width: 240, height: 180)
    #expect(PictureLook(blue, in: inside).colour?.description == "blue (#0100ff)")
  }

  @Test func `what points do not show is found by comparing all`() {
    let (one, same) = (plain([100, 128, 128]), plain([100, 128, 128]))
    let other = picture { plane, x, y in
      plane == 2 && x == 159 && y == 89 ? 129 : [100, 128, 128][plane]
    }
    #expect(one.isIdentical(to: same))
    #expect(PictureLook(one, in: Self.whole) == PictureLook(other, in: Self.whole))
    #expect(!one.isIdentical(to: other))
    #expect(
      PictureLook(one, in: Self.whole) != PictureLook(plain([101, 128, 128]), in: Self.whole))
  }
}
