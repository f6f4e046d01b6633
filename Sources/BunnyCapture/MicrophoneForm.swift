import BunnyMedia
import BunnySystem
import CBunnyALSA
import Glibc

/// What a microphone's sound looks like.
struct MicrophoneForm: Equatable {
  let format: SampleFormat
  let sampleRate: Int
  let channels: Int

  /// Of one moment.
  var bytes: Int { format.bytes * channels }

  /// How long `count` moments last, as the card says.
  func nanoseconds(_ count: Int64) -> Int64 {
    Timebase(1, Int32(sampleRate)).convert(count, to: .nanoseconds)
  }

  /// The formats that can be read, the best first: 16 bits are enough for AAC.
  private static let formats: [(ours: SampleFormat, alsa: snd_pcm_format_t, name: String)] = [
    (.int16, SND_PCM_FORMAT_S16_LE, "S16_LE"), (.int32, SND_PCM_FORMAT_S32_LE, "S32_LE"),
    (.int24, SND_PCM_FORMAT_S24_LE, "S24_LE"), (.int24Packed, SND_PCM_FORMAT_S24_3LE, "S24_3LE"),
    (.float, SND_PCM_FORMAT_FLOAT_LE, "FLOAT_LE"),
  ]
  /// The broadcast's own first, then those above, then the nearest below.
  private static let rates: [UInt32] = [
    48_000, 96_000, 192_000, 44_100, 88_200, 176_400, 32_000, 24_000, 22_050, 16_000, 11_025, 8000,
  ]
  /// One channel becomes both sides; of more than two the fewest are mixed down.
  private static let channels: [UInt32] = [2, 1, 3, 4, 5, 6, 7, 8]

  private static let period: UInt32 = 10_000  // microseconds
  private static let buffer: UInt32 = 1_000_000  // microseconds
}

/// Owns what is negotiated with a PCM. Nothing else.
private struct HardwareParameters: ~Copyable {
  let raw: OpaquePointer
  init() {
    var raw: OpaquePointer?
    snd_pcm_hw_params_malloc(&raw)
    self.raw = raw!
  }
  deinit { snd_pcm_hw_params_free(raw) }
}

extension MicrophoneForm {
  /// Chooses the best that the PCM offers.
  ///
  /// - Returns: Also how many samples it buffers.
  static func setUp(
    _ pcm: OpaquePointer
  ) throws(MicrophonePCM.Failure) -> (form: MicrophoneForm, bufferSize: Int) {
    let parameters = HardwareParameters()
    let raw = parameters.raw
    try MicrophonePCM.check("snd_pcm_hw_params_any", snd_pcm_hw_params_any(pcm, raw))
    // A card's own rate, not one that ALSA makes: resampling is ours.
    snd_pcm_hw_params_set_rate_resample(pcm, raw, 0)
    try MicrophonePCM.check(
      "snd_pcm_hw_params_set_access",
      snd_pcm_hw_params_set_access(pcm, raw, SND_PCM_ACCESS_RW_INTERLEAVED))
    let format = formats.first { snd_pcm_hw_params_test_format(pcm, raw, $0.alsa) == 0 }
    guard let format else {
      throw MicrophonePCM.Failure(call: "snd_pcm_hw_params_test_format", code: -EINVAL)
    }
    try MicrophonePCM.check(
      "snd_pcm_hw_params_set_format", snd_pcm_hw_params_set_format(pcm, raw, format.alsa))
    let channels = channels.first { snd_pcm_hw_params_test_channels(pcm, raw, $0) == 0 }
    guard let channels else {
      throw MicrophonePCM.Failure(call: "snd_pcm_hw_params_test_channels", code: -EINVAL)
    }
    try MicrophonePCM.check(
      "snd_pcm_hw_params_set_channels", snd_pcm_hw_params_set_channels(pcm, raw, channels))
    var rate = rates.first { snd_pcm_hw_params_test_rate(pcm, raw, $0, 0) == 0 } ?? 48_000
    try MicrophonePCM.check(
      "snd_pcm_hw_params_set_rate_near", snd_pcm_hw_params_set_rate_near(pcm, raw, &rate, nil))
    var period = period
    snd_pcm_hw_params_set_period_time_near(pcm, raw, &period, nil)
    var buffer = buffer
    snd_pcm_hw_params_set_buffer_time_near(pcm, raw, &buffer, nil)
    try MicrophonePCM.check("snd_pcm_hw_params", snd_pcm_hw_params(pcm, raw))
    var size: snd_pcm_uframes_t = 0
    try MicrophonePCM.check(
      "snd_pcm_hw_params_get_buffer_size", snd_pcm_hw_params_get_buffer_size(raw, &size))
    let form = MicrophoneForm(format: format.ours, sampleRate: Int(rate), channels: Int(channels))
    return (form, Int(size))
  }

  /// Adds to `microphone` all that the PCM offers.
  static func describe(_ microphone: inout Microphone, _ pcm: OpaquePointer) {
    let parameters = HardwareParameters()
    let raw = parameters.raw
    guard snd_pcm_hw_params_any(pcm, raw) >= 0 else { return }
    let formats = formats.filter { snd_pcm_hw_params_test_format(pcm, raw, $0.alsa) == 0 }
    let channels = channels.filter { snd_pcm_hw_params_test_channels(pcm, raw, $0) == 0 }
    let rates = rates.filter { snd_pcm_hw_params_test_rate(pcm, raw, $0, 0) == 0 }
    microphone.formats = formats.map(\.name)
    microphone.channels = channels.map { Int($0) }.sorted()
    microphone.rates = rates.map { Int($0) }.sorted()
  }
}
