import BunnyCapture
import BunnyMedia
import BunnySystem
import CSupport
import Foundation
import Support
import Testing

private let canCount: Bool = {
  support_count_allocations()
  return support_allocations() >= 0
}()

/// Frames from a FIFO, in memory that is used again.
@Suite struct PipeMemoryTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func camera(_ format: String) throws -> PipeCamera {
    var settings = CameraSettings()
    (settings.format, settings.framesPerSecond) = (format == "MJPG" ? "MJPG" : "YUYV", 30)
    settings.size = PictureSize(width: 160, height: 90)
    let camera = try PipeCamera(folder.file("fifo"), settings, SourceContext())
    try camera.open()
    return camera
  }

  /// Writes these pictures again and again, so many in all; each as soon as there is room.
  private func write(_ pictures: [[UInt8]], _ count: Int) {
    startThread("writer") { [path = folder.file("fifo")] in
      guard let file = fopen(path, "w") else { return }
      for index in 0..<count {
        let picture = pictures[index % pictures.count]
        fwrite(picture, 1, picture.count, file)
        fflush(file)
      }
      fclose(file)
    }
  }

  private static func jpegs() -> [[UInt8]] {
    let (pool, maker) = (PicturePool(width: 160, height: 90), JPEGMaker())
    return (0..<5).map { number in
      maker.jpeg(
        pool.picture(time: .now) { y, u, v in
          for (plane, level) in [(y, UInt8(40 * number)), (u, 128), (v, 128)] {
            plane.fill(with: level)
          }
        })
    }
  }

  @Test(.enabled(if: canCount, "a sanitizer has its own malloc"), arguments: ["YUYV", "MJPG"])
  func `a thousand of them cost no allocation`(_ format: String) throws {
    let pictures =
      format == "MJPG"
      ? Self.jpegs() : (0..<3).map { [UInt8](repeating: UInt8($0), count: 160 * 90 * 2) }
    let camera = try camera(format)
    write(pictures, 1100)
    var held = [Picture?](repeating: nil, count: 3)
    for index in 0..<100 { held[index % 3] = try camera.next() }
    support_count_allocations()
    for index in 0..<1000 { held[index % 3] = try camera.next() }
    #expect(support_allocations() == 0)
    #expect(held.allSatisfy { $0 != nil })
  }

  @Test func `a picture stays what it was while others come, and the next ones are whole`() throws {
    let jpegs = Self.jpegs()
    let camera = try camera("MJPG")
    write(jpegs, 40)
    let converter = PictureConverter(width: 160, height: 90, fill: .letterbox)
    var pictures: [Picture] = []
    for _ in 0..<40 { pictures.append(try #require(try camera.next())) }
    let levels = try pictures.map {
      Int(try converter.convert($0).withPlanes { y, _, _ in y.bytes[0] })
    }
    for (index, level) in levels.enumerated() {
      let expected = 16 + 40 * (index % 5) * 219 / 255
      #expect(abs(level - expected) <= 3, "\(index): \(level), not \(expected)")
    }
  }
}
