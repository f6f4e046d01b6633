import BunnyMedia
import BunnySystem
import CBunnyALSA
import Glibc

/// Owns one `snd_pcm_t`. Nothing else.
private struct PCMHandle: ~Copyable {
  let raw: OpaquePointer
  init(_ raw: OpaquePointer) { self.raw = raw }
  deinit { snd_pcm_close(raw) }
}

/// A microphone that is open and captures. Belongs to one thread, which it keeps ALSA from printing on.
///
/// Where the device lets it, capture goes on when nobody has read for as long as the buffer holds: so
/// the card itself counts what is missing.
final class MicrophonePCM {
  /// A call of ALSA's that failed.
  struct Failure: Error {
    let call: StaticString
    let code: Int32
    var reason: String { String(cString: snd_strerror(code)) }
  }

  /// What came in one go.
  struct Reading {
    /// Their time counts samples from ``origin`` on, as if the card's clock were right.
    let samples: Samples
    let origin: MonotonicTime
    /// Of its first sample, since ``start()``.
    let position: Int64
    /// At this moment so many samples had been captured.
    let stamp: (position: Int64, time: MonotonicTime)
  }

  let form: MicrophoneForm
  private let handle: PCMHandle
  private let bufferSize: Int
  /// Samples that were read or are known to be lost.
  private var position: Int64 = 0
  private var origin: MonotonicTime?
  private var bytes: [UInt8]
  private let runs = SamplesPool()
  /// What is waited for: ALSA's files, and one of ours.
  private var files: [pollfd] = []
  /// Moments of the driver's are no moments of ``MonotonicTime``: those of arrival are taken.
  private(set) var hasFalseStamps = false

  /// - Parameter pcm: ALSA's name of it.
  init(_ pcm: String) throws(Failure) {
    handle = PCMHandle(try Self.open(pcm))
    (form, bufferSize) = try MicrophoneForm.setUp(handle.raw)
    bytes = [UInt8](repeating: 0, count: form.bytes * bufferSize)
    try Self.setUpStamps(handle.raw)
  }

  private static func open(_ pcm: String) throws(Failure) -> OpaquePointer {
    try withConfiguration { (configuration) throws(Failure) in
      var raw: OpaquePointer?
      try Self.check(
        "snd_pcm_open",
        snd_pcm_open_lconf(
          &raw, pcm, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK), configuration))
      return raw!
    }
  }

  /// Opens something with a configuration of its own, so that none stays with the process.
  static func withConfiguration(
    _ open: (_ configuration: OpaquePointer?) throws(Failure) -> OpaquePointer
  ) throws(Failure) -> OpaquePointer {
    var configuration: OpaquePointer?
    var files: OpaquePointer?
    try Self.check("snd_config_update_r", snd_config_update_r(&configuration, &files, nil))
    defer {
      snd_config_delete(configuration)
      snd_config_update_free(files)
    }
    return try open(configuration)
  }

  @discardableResult
  static func check(_ call: StaticString, _ code: Int32) throws(Failure) -> Int32 {
    guard code >= 0 else { throw Failure(call: call, code: code) }
    return code
  }

  private static func setUpStamps(_ raw: OpaquePointer) throws(Failure) {
    var parameters: OpaquePointer?
    snd_pcm_sw_params_malloc(&parameters)
    defer { snd_pcm_sw_params_free(parameters) }
    try Self.check("snd_pcm_sw_params_current", snd_pcm_sw_params_current(raw, parameters))
    // None of these is essential: what a device does not do is helped later.
    snd_pcm_sw_params_set_tstamp_mode(raw, parameters, SND_PCM_TSTAMP_ENABLE)
    snd_pcm_sw_params_set_tstamp_type(raw, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    var boundary: snd_pcm_uframes_t = 0
    if snd_pcm_sw_params_get_boundary(parameters, &boundary) == 0 {
      snd_pcm_sw_params_set_stop_threshold(raw, parameters, boundary)
    }
    try Self.check("snd_pcm_sw_params", snd_pcm_sw_params(raw, parameters))
  }

  /// Begins to capture, or begins anew: positions count from 0 again.
  func start() throws(Failure) {
    position = 0
    origin = nil
    if snd_pcm_state(handle.raw) != SND_PCM_STATE_PREPARED {
      try Self.check("snd_pcm_prepare", snd_pcm_prepare(handle.raw))
    }
    try Self.check("snd_pcm_start", snd_pcm_start(handle.raw))
  }

  /// Waits until there is something to read, `wake` is signalled, or `milliseconds` are over.
  func wait(or wake: WakeEvent, milliseconds: Int32) throws(Failure) {
    let own = pollfd(fd: wake.fileDescriptor, events: Int16(POLLIN), revents: 0)
    let count = max(0, snd_pcm_poll_descriptors_count(handle.raw))
    if files.count != Int(count) + 1 { files = Array(repeating: own, count: Int(count) + 1) }
    snd_pcm_poll_descriptors(handle.raw, &files, UInt32(count))
    files[Int(count)] = own
    guard poll(&files, nfds_t(files.count), milliseconds) > 0 else { return }
    var events: UInt16 = 0
    snd_pcm_poll_descriptors_revents(handle.raw, &files, UInt32(count), &events)
    if snd_pcm_state(handle.raw) == SND_PCM_STATE_DISCONNECTED {
      throw Failure(call: "poll", code: -ENODEV)
    }
  }

  /// Reads all there is; nil when that is nothing.
  ///
  /// - Parameter now: asks the card, instead of taking what it said last.
  func read(now: Bool = false) throws(Failure) -> Reading? {
    if now { try Self.check("snd_pcm_avail", Int32(clamping: snd_pcm_avail(handle.raw))) }
    try Self.check("snd_pcm_avail_update", Int32(clamping: snd_pcm_avail_update(handle.raw)))
    var available: snd_pcm_uframes_t = 0
    var moment = snd_htimestamp_t()
    try Self.check("snd_pcm_htimestamp", snd_pcm_htimestamp(handle.raw, &available, &moment))
    guard available > 0 else { return nil }
    let stamp = (position + Int64(available), time(moment))
    if Int(available) > bufferSize / 16 * 15 {
      // The card has written over what was not read, or soon will. Half a buffer is safe from it.
      let lost = Int(available) - bufferSize / 2
      let skipped = try Self.check(
        "snd_pcm_forward", Int32(clamping: snd_pcm_forward(handle.raw, UInt(lost))))
      position += Int64(skipped)
    }
    let room = bytes.count / form.bytes
    let count = Int(
      try Self.check(
        "snd_pcm_readi",
        Int32(clamping: snd_pcm_readi(handle.raw, &bytes, min(available, UInt(room))))))
    guard count > 0 else { return nil }
    defer { position += Int64(count) }
    let origin = origin ?? stamp.1 + -form.nanoseconds(stamp.0)
    self.origin = origin
    let samples = bytes.withUnsafeBytes { bytes in
      runs.samples(
        UnsafeRawBufferPointer(rebasing: bytes[..<(count * form.bytes)]), form.format,
        sampleRate: form.sampleRate, channels: form.channels,
        time: origin + form.nanoseconds(position))
    }
    return Reading(samples: samples, origin: origin, position: position, stamp: stamp)
  }

  /// The driver's moment, unless that makes no sense.
  private func time(_ moment: snd_htimestamp_t) -> MonotonicTime {
    let now = MonotonicTime.now
    let told = MonotonicTime(
      nanoseconds: Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec))
    let oldest = now + -(form.nanoseconds(Int64(bufferSize)) + .seconds(1))
    hasFalseStamps = hasFalseStamps || told > now || told < oldest
    return hasFalseStamps ? now : told
  }
}

extension MicrophonePCM {
  /// Adds to `microphone` what it offers, if nobody holds it.
  static func describe(_ microphone: inout Microphone) {
    let before = bunny_alsa_hush()
    defer { bunny_alsa_end_hush(before) }
    guard let raw = try? open(microphone.pcm) else { return }
    let handle = PCMHandle(raw)
    MicrophoneForm.describe(&microphone, handle.raw)
  }
}
