import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct SlateTests {
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  /// How many pixels of a picture are brighter than its paper.
  private func ink(_ picture: Picture) -> Int {
    picture.withPlanes { y, _, _ in
      (0..<y.height).reduce(0) { count, row in
        count + (0..<y.width).count { y.bytes[row * y.stride + $0] > 100 }
      }
    }
  }

  @Test(arguments: [(64, 64), (320, 180), (1080, 1920)])
  func `ours says that there is no picture, why, and since when`(width: Int, height: Int) throws {
    let slate = try Slate(.standard, width: width, height: height)
    let now = MonotonicTime.now
    let picture = try #require(
      slate.picture("/dev/video0 was unplugged", hasPicture: true, at: now))
    #expect(picture.width == width && picture.height == height && picture.time == now)
    let short = try #require(slate.picture("", hasPicture: true, at: now))
    #expect(ink(short) > 0 && ink(picture) >= ink(short))
    if width > 64 { #expect(ink(picture) > ink(short)) }
  }

  @Test func `a reason of any length and script can be shown`() throws {
    let slate = try Slate(.standard, width: 320, height: 180)
    for reason in ["Kamera weg: größer als 漢字 🎥", String(repeating: "x", count: 5000)] {
      #expect(slate.picture(reason, hasPicture: true) != nil)
    }
  }

  @Test func `a frozen one leaves the last picture, where there was one`() throws {
    let slate = try Slate(.freeze, width: 320, height: 180)
    #expect(slate.picture("gone", hasPicture: true) == nil)
    #expect(slate.picture("gone", hasPicture: false) != nil)
  }

  @Test func `a PNG is shown as it is, each time anew`() async throws {
    let path = folder.file("slate.png")
    try await draw("color=red:s=200x100", to: path)
    let slate = try Slate(.file(path), width: 320, height: 180)
    let first = try #require(slate.picture("gone", hasPicture: true))
    let second = try #require(slate.picture("gone", hasPicture: true))
    #expect(first.width == 200 && first.height == 100 && second.time > first.time)
  }

  @Test func `a file that is none says so at the start`() throws {
    let missing = folder.file("no.png")
    #expect(throws: SourceError.missing(missing)) {
      try Slate(.file(missing), width: 320, height: 180)
    }
    let text = folder.file("text.png")
    try "no picture".write(toFile: text, atomically: false, encoding: .utf8)
    #expect(throws: SourceError.notMedia(text, reason: "its picture is broken")) {
      try Slate(.file(text), width: 320, height: 180)
    }
  }

  @Test func `a picture that is cut off says so at the start`() async throws {
    let path = folder.file("whole.png")
    try await draw("testsrc=s=200x100", to: path)
    let broken = folder.file("broken.png")
    try Data(contentsOf: URL(filePath: path)).prefix(300).write(to: URL(filePath: broken))
    #expect(throws: SourceError.notMedia(broken, reason: "its picture is broken")) {
      try Slate(.file(broken), width: 320, height: 180)
    }
  }

  private func draw(_ graph: String, to path: String) async throws {
    let made = try await ChildProcess.run(
      "ffmpeg",
      ["-nostdin", "-v", "error", "-f", "lavfi", "-i", graph, "-frames:v", "1", path])
    try #require(made.exitStatus == 0, "\(made)")
  }
}
