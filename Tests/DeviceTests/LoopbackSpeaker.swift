import BunnyCapture
import BunnySystem
import CBunnyALSA
import Glibc
import Testing

/// Plays a beep of 1 kHz, 100 ms long, at each whole second of ``MonotonicTime``, into the end of the
/// loopback card that the microphone hears: in step however fast the card's clock is.
///
/// The microphone has to take the sound in the form in which it is played.
final class LoopbackSpeaker: @unchecked Sendable {  // all but the flag is its thread's own
  struct Form: CustomStringConvertible, Sendable {
    var rate = 48_000
    var channels = 2
    var format = SND_PCM_FORMAT_S16_LE
    var description: String {
      "\(rate) Hz, \(channels) channels, \(String(cString: snd_pcm_format_name(format)))"
    }
  }

  static let amplitude = 0.5
  private let form: Form
  private let pcm: OpaquePointer
  private let isOver = Flag()
  private let hasEnded = WakeEvent()
  private var clock: MicrophoneClock
  private var written: Int64 = 0
  /// Until the clock is set and what would be a beep's rest is over.
  private var isSilent = true

  init(_ form: Form = Form()) throws {
    self.form = form
    clock = MicrophoneClock(sampleRate: form.rate)
    var raw: OpaquePointer?
    try #require(snd_pcm_open(&raw, DeviceLab.loudspeaker, SND_PCM_STREAM_PLAYBACK, 0) == 0)
    pcm = raw!
    let code = snd_pcm_set_params(
      pcm, form.format, SND_PCM_ACCESS_RW_INTERLEAVED, UInt32(form.channels), UInt32(form.rate), 0,
      1_000_000)
    if code < 0 { snd_pcm_close(pcm) }
    try #require(code == 0, "\(form): \(String(cString: snd_strerror(code)))")
    startThread("loudspeaker", turns: .short) { [self] in
      while !isOver.isSet { play() }
      snd_pcm_close(pcm)
      hasEnded.signal()
    }
  }

  /// Returns when it has let go of the card.
  func end() {
    isOver.isSet = true
    hasEnded.wait(until: .distantFuture)
  }

  private func play() {
    let count = form.rate / 100
    var delay: snd_pcm_sframes_t = 0
    if snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING, snd_pcm_delay(pcm, &delay) == 0 {
      clock.observe(written - Int64(delay), at: .now)
    }
    var bytes: [UInt8] = []
    for index in 0..<count {
      let sample = sample(written + Int64(index))
      for _ in 0..<form.channels { append(sample, to: &bytes) }
    }
    let code = snd_pcm_writei(pcm, bytes, UInt(count))
    if code > 0 { written += Int64(code) }
    guard code < 0 else { return }
    snd_pcm_recover(pcm, Int32(code), 1)
    beginAnew()
  }

  private func beginAnew() {
    written = 0
    clock = MicrophoneClock(sampleRate: form.rate)
    isSilent = true
  }

  private func sample(_ position: Int64) -> Double {
    guard clock.isSet else { return 0 }
    let time = clock.time(of: position).nanoseconds % 1_000_000_000
    // None begins in its middle.
    isSilent = time < .milliseconds(100) ? isSilent : false
    let isBeep = time < .milliseconds(100) && !isSilent
    return isBeep ? Self.amplitude * sin(2 * .pi * 1000 * Double(time) / 1e9) : 0
  }

  private func append(_ sample: Double, to bytes: inout [UInt8]) {
    func append(_ value: some Any, _ count: Int) {
      withUnsafeBytes(of: value) { bytes.append(contentsOf: $0.prefix(count)) }
    }
    switch form.format {
    case SND_PCM_FORMAT_S16_LE: append(Int16(sample * 32_767), 2)
    case SND_PCM_FORMAT_S24_3LE: append(Int32(sample * 8_388_607), 3)
    case SND_PCM_FORMAT_S24_LE: append(Int32(sample * 8_388_607) & 0xFF_FFFF, 4)
    case SND_PCM_FORMAT_S32_LE: append(Int32(sample * 2_147_483_647), 4)
    default: append(Float(sample), 4)
    }
  }
}
