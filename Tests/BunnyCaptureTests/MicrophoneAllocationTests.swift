import BunnyCapture
import BunnyMedia
import BunnySystem
import CSupport
import Testing

private let canCount: Bool = {
  support_count_allocations()
  return support_allocations() >= 0
}()

@Suite(.enabled(if: canCount, "a sanitizer has its own malloc"))
struct MicrophoneAllocationTests {
  /// As `MicrophonePCM` and `ALSAMicrophone` make them; a packet of them waits in the lane.
  @Test(arguments: [SampleFormat.int16, .int24Packed, .float])
  func `a microphone's runs cost none of our own, over 1000 of them`(_ format: SampleFormat) throws
  {
    let rate = 44_100
    let bytes = [UInt8](repeating: 0, count: rate / 100 * 2 * format.bytes)
    let start = MonotonicTime(nanoseconds: 9_000_000_000)
    let captured = SamplesPool()
    var sound = MicrophoneSound(sampleRate: rate)
    var waiting: [Samples] = []
    var handed = 0
    for block in 0..<2000 {
      if block == 1000 { support_count_allocations() }
      let time = start + Int64(block) * .milliseconds(10)
      let samples = bytes.withUnsafeBytes {
        captured.samples($0, format, sampleRate: rate, channels: 2, time: time)
      }
      let stamp = (Int64((block + 1) * rate / 100), time + .milliseconds(10))
      try sound.take(samples, countedFrom: start, stamp: stamp) {
        waiting.append($0)
        handed += 1
      }
      if waiting.count > 3 { waiting.removeAll(keepingCapacity: true) }
    }
    let all = support_allocations()
    #expect(all - support_allocations_of_libraries() == 0 && handed > 1900)
  }

  @Test func `one that somebody holds is left as it is`() {
    let captured = SamplesPool()
    let runs = [Int16(1), 2, 3].map { value in
      [value, -value].withUnsafeBytes {
        captured.samples(
          $0, .int16, sampleRate: 48_000, channels: 1, time: MonotonicTime(nanoseconds: 0))
      }
    }
    let converter = SampleConverter()
    let values = runs.map { run in
      try! converter.convert(run).flatMap { $0.withChannel(0) { Array($0) } }
    }
    #expect(values == [1, 2, 3].map { [$0 / 32_768, -$0 / 32_768] })
  }
}
