import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct SampleConverterTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A second of a 1 kHz sine in some form, decoded.
  private func sound(_ options: [String], ending: String = "wav") throws -> [Samples] {
    let path = folder.file("sound.\(ending)")
    try ffmpeg(["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=1"] + options + [path]) { _ in }
    let demuxer = try Demuxer(path)
    let decoder = try Decoder(try #require(demuxer.audio))
    var runs: [Samples] = []
    while let (_, packet) = try demuxer.next() {
      runs += decoder.samples(packet, at: MonotonicTime(nanoseconds: 0))
    }
    return runs
  }

  private func convert(_ runs: [Samples]) throws -> [Samples] {
    let converter = SampleConverter()
    return try runs.flatMap { try converter.convert($0) } + converter.finish()
  }

  @Test(arguments: [
    ["-ac", "1", "-ar", "44100"], ["-ac", "6", "-ar", "48000"], ["-ac", "2", "-ar", "8000"],
    ["-ac", "2", "-ar", "96000", "-c:a", "pcm_s24le"], ["-ac", "1", "-c:a", "pcm_u8"],
  ])
  func `any form becomes 48 kHz stereo, as long as it was and where it was`(options: [String])
    throws
  {
    let converted = try convert(try sound(options))
    let count = converted.reduce(0) { $0 + $1.count }
    #expect(abs(count - 48_000) <= 2)
    #expect(converted.allSatisfy { $0.sampleRate == 48_000 && $0.channels == 2 })
    // Each run begins where the one before it ended, to a sample.
    for (run, next) in zip(converted, converted.dropFirst()) {
      let end = run.time + Int64(run.count) * 1_000_000_000 / 48_000
      #expect(abs(next.time - end) < 1_000_000_000 / 48_000 * 2)
    }
    #expect(abs(try #require(converted.first).time.nanoseconds) < 1_000_000)
  }

  private func peak(_ runs: [Samples]) -> Float {
    runs.reduce(0) { peak, run in
      (0..<2).reduce(peak) { peak, channel in
        run.withChannel(channel) { samples in samples.reduce(peak) { max($0, abs($1)) } }
      }
    }
  }

  @Test func `one channel is as loud from each speaker`() throws {
    let mono = try convert(try sound(["-ac", "1", "-ar", "48000", "-c:a", "pcm_f32le"]))
    #expect(abs(peak(mono) - 0.125) < 0.001)  // what ffmpeg's sine peaks at
  }

  /// A microphone on any input of a sound card, the other inputs silent.
  @Test(arguments: 3...8)
  func `each of a card's inputs is heard on its side`(channels: Int) throws {
    for live in 0..<channels {
      let values = (0..<48_000 * channels).map { index in
        index % channels == live ? Int16(16_000 * sin(Double(index / channels) * 0.13)) : 0
      }
      let card = values.withUnsafeBytes {
        Samples(
          $0, .int16, sampleRate: 48_000, channels: channels, time: MonotonicTime(nanoseconds: 0))
      }
      let runs = try convert([card])
      let loudest = (0..<2).map { side in
        runs.reduce(Float(0)) { peak, run in
          run.withChannel(side) { samples in samples.reduce(peak) { max($0, abs($1)) } }
        }
      }
      let (own, other) = (loudest[live % 2], loudest[1 - live % 2])
      let side = (channels + 1 - live % 2) / 2
      #expect(abs(own - 16_000 / 32_768 / Float(side).squareRoot()) < 0.001 && other == 0)
    }
  }

  @Test func `many channels are mixed down without clipping`() throws {
    let path = folder.file("loud.wav")
    try ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc=0.9|0.9|0.9|0.9|0.9|0.9:c=5.1:d=1:s=48000", "-c:a",
      "pcm_f32le", path,
    ]) { _ in }
    let demuxer = try Demuxer(path)
    let decoder = try Decoder(try #require(demuxer.audio))
    var runs: [Samples] = []
    while let (_, packet) = try demuxer.next() {
      runs += decoder.samples(packet, at: MonotonicTime(nanoseconds: 0))
    }
    let mixed = peak(try convert(runs))
    #expect(mixed <= 0.91 && mixed > 0.8)
  }

  @Test func `sound in the broadcast's own form is handed on, not copied`() throws {
    let run = Samples(time: .now, count: 480) { left, right in
      left.update(repeating: 0.5)
      right.update(repeating: -0.5)
    }
    #expect(try SampleConverter().convert(run).first === run)
  }

  @Test func `a jump in time gives out what was before it first`() throws {
    let runs = try sound(["-ac", "1", "-ar", "44100"])
    let converter = SampleConverter()
    let before = try runs.flatMap { try converter.convert($0) }
    let jumped = try converter.convert(
      try #require(sound(["-ac", "1", "-ar", "44100"]).first))  // back at 0
    let total = before.reduce(0) { $0 + $1.count } + jumped[0].count
    #expect(abs(total - 48_000) <= 2)
    #expect(jumped.count == 2 && abs(jumped[1].time.nanoseconds) < 1_000_000)
  }
}
