import BunnyMedia
import BunnySystem
import Testing

/// What a program hands in, and may have got wrong.
@Suite struct ProgramMediaTests {
  @Test(arguments: [
    (4, 2, 0, true), (4, 2, 16, true), (4, 2, 20, true), (4, 2, 15, false), (4, 2, -16, false),
    (4, 2, .max, false), (0, 2, 0, false), (.max, 2, 0, false), (4, 3, 20, false),
  ])
  func `a picture is as large as it says, or none`(
    _ width: Int, _ height: Int, _ stride: Int, _ isOne: Bool
  ) {
    let bytes = [UInt8](repeating: 0, count: 40)
    let picture = bytes.withUnsafeBytes {
      Picture.copying($0, .bgra, width: width, height: height, stride: stride, time: .now)
    }
    #expect((picture != nil) == isOne)
  }

  @Test func `samples that are no numbers are silence, and the broadcast goes on`() throws {
    let encoder = try AudioEncoder(bitrate: 64_000)
    let converter = SampleConverter()
    let odd: [Float] = [.nan, .infinity, -.infinity, 1e30, 0.5, .signalingNaN]
    let run = (0..<9600).map { odd[$0 % odd.count] }
    let samples = try #require(
      Samples.copying(run, sampleRate: 48_000, channels: 2, time: .now))
    let converted = try converter.convert(samples) + converter.finish()
    var packets = try converted.flatMap { try encoder.encode($0, 0..<$0.count) }
    packets += try encoder.finish()
    #expect(packets.count >= 5, "4800 samples of 1024 a packet")
  }
}
