import CBunnyFFmpeg

/// Makes the media tags of one track, with libavformat's FLV muxer writing into memory: it knows
/// avcC, AudioSpecificConfig and composition times. Belongs to one thread.
public final class TagMuxer {
  /// What goes to an ingest before this track's media.
  public private(set) var sequenceHeader: MediaTag

  private let context: UnsafeMutablePointer<AVFormatContext>
  private let sink = Sink()
  private let kind: MediaTag.Kind
  private let box = PacketBox()
  private let timebase: Timebase

  /// Where the muxer writes; behind a class, so that C can find it again.
  private final class Sink { var bytes: [UInt8] = [] }

  /// - Throws: ``AVFailure`` when FLV cannot hold the codec.
  public init(_ parameters: CodecParameters) throws(AVFailure) {
    kind = parameters.raw.pointee.codec_type == AVMEDIA_TYPE_VIDEO ? .video : .audio
    timebase = parameters.timebase
    sequenceHeader = MediaTag(kind: kind, dts: 0, isKeyframe: true, body: [])
    var made: UnsafeMutablePointer<AVFormatContext>?
    try check(
      "avformat_alloc_output_context2", avformat_alloc_output_context2(&made, nil, "flv", nil))
    context = made!
    let stream = avformat_new_stream(context, nil)!
    avcodec_parameters_copy(stream.pointee.codecpar, parameters.raw)
    context.pointee.pb = avio_alloc_context(
      av_malloc(4096)?.assumingMemoryBound(to: UInt8.self), 4096, 1,
      Unmanaged.passUnretained(sink).toOpaque(), nil,
      { opaque, bytes, count in
        let sink = Unmanaged<Sink>.fromOpaque(opaque!).takeUnretainedValue()
        sink.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
        return count
      }, nil)
    var options = Options(["flvflags": "no_duration_filesize"])
    try check("avformat_write_header(flv)", avformat_write_header(context, &options.raw))
    avio_flush(context.pointee.pb)
    let header = sink.bytes.dropFirst(9 + 4)  // the file's header, and the size of no tag before
    guard let body = Self.body(in: header, of: kind) else {
      throw AVFailure(
        call: "avformat_write_header(flv): no sequence header", code: bunny_error_invalid_data)
    }
    sequenceHeader = MediaTag(
      kind: kind, dts: 0, isKeyframe: true, isSequenceHeader: true, body: body)
  }

  deinit {
    var io: UnsafeMutablePointer<AVIOContext>? = context.pointee.pb
    if let buffer = io?.pointee.buffer { av_free(buffer) }
    avio_context_free(&io)
    avformat_free_context(context)
  }

  /// The tag of one packet.
  ///
  /// - Parameter shift: milliseconds that its times move by, so that none is negative.
  /// - Returns: nil for what is heard before the beginning of time: AAC's priming.
  /// - Throws: ``AVFailure`` from `av_write_frame`: times that do not rise, for one.
  public func tag(_ packet: Packet, shift: Int64 = 0) throws(AVFailure) -> MediaTag? {
    let dts = packet.timebase.convert(packet.dts, to: .milliseconds) + shift
    let pts = packet.timebase.convert(packet.pts, to: .milliseconds) + shift
    guard packet.pts >= 0 else { return nil }
    try check("av_packet_ref", av_packet_ref(box.raw, packet.raw))
    defer { av_packet_unref(box.raw) }
    box.raw.pointee.stream_index = 0
    box.raw.pointee.dts = dts
    box.raw.pointee.pts = max(dts, pts)
    sink.bytes.removeAll(keepingCapacity: true)
    try check("av_write_frame", av_write_frame(context, box.raw))
    avio_flush(context.pointee.pb)
    guard let body = Self.body(in: sink.bytes[...], of: kind) else {
      throw AVFailure(call: "av_write_frame: no tag", code: bunny_error_invalid_data)
    }
    var tag = MediaTag(
      kind: kind, dts: dts, cts: max(0, pts - dts),
      isKeyframe: kind == .audio || packet.isKeyframe, body: body)
    if kind == .video { tag.parameters = sequenceHeader.body }
    return tag
  }

  /// The body of the first tag of a kind: each tag has 11 bytes of header, the body, 4 of its size.
  private static func body(in tags: ArraySlice<UInt8>, of kind: MediaTag.Kind) -> [UInt8]? {
    let type: UInt8 = kind == .video ? 9 : 8
    var rest = tags
    while rest.count >= 15 {
      let first = rest.startIndex
      let size = Int(rest[first + 1]) << 16 | Int(rest[first + 2]) << 8 | Int(rest[first + 3])
      guard rest.count >= 11 + size + 4 else { return nil }
      if rest[first] == type { return [UInt8](rest[(first + 11)..<(first + 11 + size)]) }
      rest.removeFirst(11 + size + 4)
    }
    return nil
  }
}
