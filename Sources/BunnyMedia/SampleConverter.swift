import BunnySystem
import CBunnyFFmpeg

/// Turns any sound into the broadcast's own form: 48 kHz, stereo, floating point.
///
/// Belongs to one thread. One channel is doubled. More than two are mixed down: as loudspeakers where
/// it is known which they are, else (a sound card's inputs) every other one to the left, the rest to
/// the right, each side turned down so that it stays as loud whether one of them sounds or all.
public final class SampleConverter {
  private var resampler: OpaquePointer?
  private var source: Form?
  private var expected: MonotonicTime?  // where the next run begins, if nothing is missing

  private let pool = SamplesPool()
  private let isElastic: Bool
  private var stretch = 0.0

  /// - Parameter isElastic: sound can be made longer or shorter: see ``stretch(partsPerMillion:)``.
  public init(isElastic: Bool = false) { self.isElastic = isElastic }
  deinit { swr_free(&resampler) }

  /// Makes what is converted from now on longer (positive) or shorter, without a step that is heard.
  ///
  /// - Precondition: it is elastic.
  public func stretch(partsPerMillion: Double) {
    precondition(isElastic)
    stretch = partsPerMillion
  }

  /// Converts one run.
  ///
  /// - Parameter hand: is handed what came out, in order. Its times are those of its content: the
  ///   resampler's own delay is accounted for. After a jump in time, first what was left from before it.
  /// - Throws: ``AVFailure`` from the resampler, for a form of sound it cannot take.
  public func convert(_ samples: Samples, _ hand: (Samples) -> Void) throws(AVFailure) {
    let form = samples.form
    if form == .broadcast && !isElastic {
      try finish().forEach(hand)
      return hand(samples)
    }
    let jumped = expected.map { abs(samples.time - $0) > .milliseconds(2) } ?? false
    if jumped || form != source {
      try finish().forEach(hand)
      try open(form, samples)
    }
    if isElastic {
      // In force for 10 000 000 samples, or until the next run.
      try check(
        "swr_set_compensation",
        swr_set_compensation(resampler, Int32((stretch * 10).rounded()), 10_000_000))
    }
    if let run = try run(samples.raw, count: Int32(samples.count), at: samples.time) { hand(run) }
    expected = samples.time + Int64(samples.count) * 1_000_000_000 / Int64(form.sampleRate)
  }

  /// What came out, see ``convert(_:_:)``.
  public func convert(_ samples: Samples) throws(AVFailure) -> [Samples] {
    var converted: [Samples] = []
    try convert(samples) { converted.append($0) }
    return converted
  }

  /// What is left in the resampler; it begins anew afterwards.
  public func finish() throws(AVFailure) -> [Samples] {
    guard resampler != nil, let end = expected else { return [] }
    let rest = try run(nil, count: 0, at: end)
    expected = nil
    source = nil
    return rest.map { [$0] } ?? []
  }

  private func open(_ form: Form, _ samples: Samples) throws(AVFailure) {
    swr_free(&resampler)
    var stereo = AVChannelLayout()
    av_channel_layout_default(&stereo, 2)
    try check(
      "swr_alloc_set_opts2",
      swr_alloc_set_opts2(
        &resampler, &stereo, AV_SAMPLE_FMT_FLTP, Int32(broadcastSampleRate),
        &samples.raw.pointee.ch_layout, AVSampleFormat(form.format), form.sampleRate, 0, nil))
    if form.channels == 1 {
      // Each speaker gets all of it; FFmpeg's own matrix makes it 3 dB quieter.
      try check("swr_set_matrix", swr_set_matrix(resampler, [1, 1], 1))
    } else if samples.raw.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
      let channels = Int(form.channels)
      try check(
        "swr_set_matrix",
        swr_set_matrix(resampler, Self.matrix(ofInputs: channels), Int32(channels)))
    } else {
      // Many channels into two: turned down so far that their sum cannot clip.
      try check(
        "av_opt_set_double(rematrix_maxval)",
        av_opt_set_double(UnsafeMutableRawPointer(resampler), "rematrix_maxval", 1, 0))
    }
    if isElastic {
      let options = UnsafeMutableRawPointer(resampler)
      // Resamples even at 48 kHz, and between the filter's phases too: neither can be changed later.
      try check(
        "av_opt_set_int(flags)", av_opt_set_int(options, "flags", Int64(SWR_FLAG_RESAMPLE), 0))
      try check("av_opt_set_int(linear_interp)", av_opt_set_int(options, "linear_interp", 1, 0))
    }
    try check("swr_init", swr_init(resampler))
    source = form
  }

  /// For each side how much it gets of each input.
  private static func matrix(ofInputs count: Int) -> [Double] {
    (0..<2).flatMap { side in
      let own = (count + 1 - side) / 2
      return (0..<count).map { $0 % 2 == side ? 1 / Double(own).squareRoot() : 0 }
    }
  }

  private func run(
    _ input: UnsafeMutablePointer<AVFrame>?, count: Int32, at time: MonotonicTime
  ) throws(AVFailure) -> Samples? {
    let delay = swr_get_delay(resampler, 1_000_000_000)
    let room = swr_get_out_samples(resampler, count)
    guard room > 0 else { return nil }
    let run = pool.next(at: time + -delay, count: Int(room))
    let made = try check(
      "swr_convert",
      bunny_swr_convert(resampler, run.raw.pointee.extended_data, room, input, count))
    guard made > 0 else { return nil }
    run.raw.pointee.nb_samples = made
    return run
  }
}

/// What a run of samples looks like.
private struct Form: Equatable {
  let format: Int32
  let sampleRate: Int32
  let channels: Int32
  let mask: UInt64

  /// The broadcast's own.
  static let broadcast = Form(
    format: AV_SAMPLE_FMT_FLTP.rawValue, sampleRate: Int32(broadcastSampleRate), channels: 2,
    mask: 3)
}

extension Samples {
  fileprivate var form: Form {
    let layout = raw.pointee.ch_layout
    return Form(
      format: raw.pointee.format, sampleRate: raw.pointee.sample_rate,
      channels: layout.nb_channels, mask: layout.u.mask)
  }
}
