import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

/// Files whose times leap, or mean nothing.
struct BrokenTimesTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A second of 25 pictures whose times begin at `start` seconds.
  private func clip(from start: Int) throws -> Data {
    let path = folder.file("\(start).ts")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=1", "-f", "lavfi", "-i", "sine=r=48000:d=1",
      "-c:v", "mpeg2video", "-c:a", "mp2", "-output_ts_offset", "\(start)", path,
    ]) { _ in }
    return try Data(contentsOf: URL(filePath: path))
  }

  @Test(arguments: [[10, 7210], [7210, 10], [10, 40_000, 10]])
  func `joined recordings are played one after the other`(starts: [Int]) throws {
    let path = folder.file("joined.ts")
    try starts.map(clip).reduce(Data(), +).write(to: URL(filePath: path))
    let reader = try LoopingReader("file:\(path)", name: path, wanting: [.video, .audio])
    let start = MonotonicTime.now
    var dues: [MonotonicTime] = []
    var passes = 0
    while passes < 2 {
      switch try reader.next(.video) {
      case .packet(let packet, let zero, _):
        dues.append(zero + (try #require(packet.timebase.nanoseconds(packet.pts))))
      case .endOfPass: passes += 1
      case .starved, .cancelled: Issue.record("nothing comes")
      }
      while dues.count % 25 == 0, case .packet? = try? reader.next(.audio) {}
    }
    #expect(dues.count == starts.count * 50)
    #expect(dues[0] - start < .seconds(1))
    let steps = zip(dues, dues.dropFirst()).map { ($1 - $0) / 1_000_000 }
    // Where a clip ends, what is left of its sound may come between.
    #expect(steps.allSatisfy { (0...150).contains($0) }, "\(steps)")
    #expect(steps.filter { $0 != 40 }.count < 2 * starts.count, "\(steps)")
  }

  @Test func `a time that no clock says is none`() {
    let seconds = Timebase(1, 1)
    #expect(seconds.nanoseconds(2_000_000_000) == 2_000_000_000_000_000_000)
    #expect(seconds.nanoseconds(-2_000_000_000) == -2_000_000_000_000_000_000)
    #expect(seconds.nanoseconds(2_400_000_000) == nil)
    #expect(seconds.nanoseconds(.max) == nil && seconds.nanoseconds(.min) == nil)
    #expect(Timebase.nanoseconds.nanoseconds(1 << 61) == 1 << 61)
    #expect(Timebase.nanoseconds.nanoseconds(1 << 61 + 1) == nil)
    #expect(Timebase(Int32.max, 1).nanoseconds(.max) == nil)
  }

  @Test(arguments: ["mp4", "ts", "flv", "mkv"])
  func `no damage to a file is more than an error`(format: String) async throws {
    let path = folder.file("clip.\(format)")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=0.5", "-f", "lavfi", "-i", "sine=r=48000:d=0.5",
      "-c:v", "libx264", "-c:a", "aac", path,
    ]) { _ in }
    let whole = try Data(contentsOf: URL(filePath: path))
    let damaged = folder.file("damaged.\(format)")
    try await onThread("damage") {
      for seed in 0..<40 as Range<UInt64> {
        try whole.damaged(seed).write(to: URL(filePath: damaged))
        Self.play("file:\(damaged)")
      }
    }
  }

  private static func play(_ location: String) {
    guard let reader = try? LoopingReader(location, name: "it", wanting: [.video, .audio])
    else { return }
    for (track, index) in [(reader.video, LoopingReader.Track.video), (reader.audio, .audio)] {
      guard let track, let decoder = try? Decoder(track) else { continue }
      for _ in 0..<60 {
        guard let step = try? reader.next(index) else { break }
        guard case .packet(let packet, let zero, _) = step else { continue }
        if index == .video {
          for picture in decoder.pictures(packet, at: zero) {
            _ = picture.time - MonotonicTime.now
          }
        } else {
          for run in decoder.samples(packet, at: zero) { _ = run.time - MonotonicTime.now }
        }
      }
    }
  }
}
