import BunnySystem
import CBunnyFFmpeg

/// Makes an MPEG transport stream of media tags, in pieces that players can begin with: HLS segments.
///
/// Belongs to one thread at a time.
package final class TransportStreamMuxer {
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let sink = Sink()
  private let box = PacketBox()
  private var tracks: [MediaTag.Kind: Int32] = [:]

  /// Where the muxer writes; behind a class, so that C can find it again.
  private final class Sink { var bytes: [UInt8] = [] }

  /// - Parameter headers: the sequence headers of its tracks, H.264's and AAC's.
  /// - Throws: ``AVFailure`` when a header is not what it should be.
  package init(_ headers: [MediaTag]) throws(AVFailure) {
    var made: UnsafeMutablePointer<AVFormatContext>?
    try check(
      "avformat_alloc_output_context2", avformat_alloc_output_context2(&made, nil, "mpegts", nil))
    context = made!
    context.pointee.pb = avio_alloc_context(
      av_malloc(4096)?.assumingMemoryBound(to: UInt8.self), 4096, 1,
      Unmanaged.passUnretained(sink).toOpaque(), nil,
      { opaque, bytes, count in
        let sink = Unmanaged<Sink>.fromOpaque(opaque!).takeUnretainedValue()
        sink.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
        return count
      }, nil)
    context.pointee.max_delay = 0
    for header in headers { try add(header) }
    // One sound a packet, so that each keeps its own time.
    var options = Options(["pes_payload_size": "0"])
    try check("avformat_write_header(mpegts)", avformat_write_header(context, &options.raw))
  }

  deinit {
    var io: UnsafeMutablePointer<AVIOContext>? = context.pointee.pb
    if let buffer = io?.pointee.buffer { av_free(buffer) }
    avio_context_free(&io)
    avformat_free_context(context)
  }

  /// Adds a picture or sound. Those of a track without a header are left out.
  ///
  /// - Throws: ``AVFailure`` from `av_write_frame`: times that do not rise, for one.
  package func write(_ tag: MediaTag) throws(AVFailure) {
    let head = tag.kind == .video ? 5 : 2
    guard let track = tracks[tag.kind], tag.body.count > head else { return }
    let size = Int32(tag.body.count - head)
    try check("av_new_packet", av_new_packet(box.raw, size))
    defer { av_packet_unref(box.raw) }
    fill(tag.body.dropFirst(head))
    box.raw.pointee.stream_index = track
    let timebase = Timebase(context.pointee.streams[Int(track)]!.pointee.time_base)
    box.raw.pointee.dts = Timebase.milliseconds.convert(tag.dts, to: timebase)
    box.raw.pointee.pts = Timebase.milliseconds.convert(tag.dts + tag.cts, to: timebase)
    if tag.isKeyframe { box.raw.pointee.flags |= AV_PKT_FLAG_KEY }
    try check("av_write_frame", av_write_frame(context, box.raw))
  }

  /// All that was written since the last cut. What follows begins with the tables anew.
  package func cut() -> [UInt8] {
    av_write_frame(context, nil)
    avio_flush(context.pointee.pb)
    av_opt_set(context.pointee.priv_data, "mpegts_flags", "resend_headers", 0)
    defer { sink.bytes = [] }
    return sink.bytes
  }

  private func add(_ header: MediaTag) throws(AVFailure) {
    let configuration = header.body.dropFirst(header.kind == .video ? 5 : 2)
    let stream = avformat_new_stream(context, nil)!
    let parameters = stream.pointee.codecpar!
    parameters.pointee.codec_type = header.kind == .video ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO
    parameters.pointee.codec_id = header.kind == .video ? AV_CODEC_ID_H264 : AV_CODEC_ID_AAC
    Self.setExtradata(parameters, configuration)
    if header.kind == .audio {
      guard let sound = AudioConfiguration(configuration) else {
        throw AVFailure(call: "AudioSpecificConfig", code: bunny_error_invalid_data)
      }
      parameters.pointee.sample_rate = sound.sampleRate
      parameters.pointee.frame_size = 1024
      av_channel_layout_default(&parameters.pointee.ch_layout, sound.channels)
    }
    tracks[header.kind] = stream.pointee.index
  }

  private func fill(_ bytes: Slice<SharedBytes>) {
    for (index, byte) in bytes.enumerated() { box.raw.pointee.data[index] = byte }
  }

  private static func setExtradata(
    _ parameters: UnsafeMutablePointer<AVCodecParameters>, _ bytes: Slice<SharedBytes>
  ) {
    let room = bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
    let memory = av_mallocz(room)!.assumingMemoryBound(to: UInt8.self)
    for (index, byte) in bytes.enumerated() { memory[index] = byte }
    parameters.pointee.extradata = memory
    parameters.pointee.extradata_size = Int32(bytes.count)
  }
}

/// What the muxer needs of an AudioSpecificConfig (ISO 14496-3).
private struct AudioConfiguration {
  let sampleRate: Int32
  let channels: Int32

  private static let rates: [Int32] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]

  init?(_ bytes: Slice<SharedBytes>) {
    guard bytes.count >= 2 else { return nil }
    let word = Int(bytes[bytes.startIndex]) << 8 | Int(bytes[bytes.startIndex + 1])
    let (rate, channels) = (word >> 7 & 0xF, word >> 3 & 0xF)
    guard Self.rates.indices.contains(rate), (1...7).contains(channels) else { return nil }
    sampleRate = Self.rates[rate]
    self.channels = channels == 7 ? 8 : Int32(channels)
  }
}
