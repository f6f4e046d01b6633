import BunnySystem
import CBunnyFFmpeg

/// Makes the media tags of one track: H.264 or AAC in FLV's clothing, as libavformat's muxer makes them, but
/// in memory that is used again. Belongs to one thread.
public final class TagMuxer {
  /// What goes to an ingest before this track's media.
  public let sequenceHeader: MediaTag

  private let kind: MediaTag.Kind
  /// Put into each keyframe before its own units: recorders keep only the first sequence header, and players
  /// that seek miss the later ones.
  private let parameters: [UInt8]
  private var pool: BytePool
  private var last = Int64.min

  /// - Throws: ``AVFailure`` when FLV cannot hold the codec, or its header is not known.
  public init(_ codec: CodecParameters) throws(AVFailure) {
    let extradata = codec.extradata
    switch codec.raw.pointee.codec_id {
    case AV_CODEC_ID_H264:
      var sets = ParameterSets()
      sets.take(AnnexB.units(in: extradata))
      kind = .video
      sequenceHeader = Self.header(.video, sets.sequenceHeader)
      parameters = sets.units
      pool = BytePool(blockSize: 256 << 10)
    case AV_CODEC_ID_AAC:
      kind = .audio
      sequenceHeader = Self.header(.audio, extradata.isEmpty ? [] : [Self.sound, 0] + extradata)
      parameters = []
      pool = BytePool(blockSize: 32 << 10)
    default:
      throw AVFailure(call: "TagMuxer: neither H.264 nor AAC", code: bunny_error_invalid_data)
    }
    if sequenceHeader.body.isEmpty {
      throw AVFailure(call: "TagMuxer: no sequence header", code: bunny_error_invalid_data)
    }
  }

  private static func header(_ kind: MediaTag.Kind, _ body: [UInt8]) -> MediaTag {
    MediaTag(kind: kind, dts: 0, isKeyframe: true, isSequenceHeader: true, body: body)
  }

  /// AAC; FLV has rate, size and channels of all AAC as 44.1 kHz, 16 bits and stereo.
  private static let sound: UInt8 = 0xAF

  /// The tag of one packet.
  ///
  /// - Parameter shift: milliseconds that its times move by, so that none is negative.
  /// - Returns: nil for what is heard before the beginning of time: AAC's priming.
  /// - Throws: ``AVFailure`` for times that do not rise.
  public func tag(_ packet: Packet, shift: Int64 = 0) throws(AVFailure) -> MediaTag? {
    guard packet.pts >= 0 else { return nil }
    let dts = packet.timebase.convert(packet.dts, to: .milliseconds) + shift
    let pts = packet.timebase.convert(packet.pts, to: .milliseconds) + shift
    guard dts >= last else {
      throw AVFailure(call: "TagMuxer: \(dts) ms after \(last) ms", code: bunny_error_invalid_data)
    }
    last = dts
    let cts = max(0, pts - dts)
    let isKeyframe = kind == .audio || packet.isKeyframe
    var tag = MediaTag(
      kind: kind, dts: dts, cts: cts, isKeyframe: isKeyframe,
      body: kind == .video ? picture(packet.content, isKeyframe, cts) : sound(packet.content))
    if kind == .video { tag.parameters = sequenceHeader.body }
    return tag
  }

  /// Bytes of a picture's tag at most: a unit and its start code have four or more, and become one longer.
  static func most(_ parameters: Int, _ packet: Int) -> Int { 5 + parameters + packet / 4 * 5 + 4 }

  private func sound(_ packet: UnsafeBufferPointer<UInt8>) -> SharedBytes {
    pool.bytes(atMost: 2 + packet.count) { memory in
      var writer = ByteWriter(memory)
      writer.add(Self.sound)
      writer.add(1)
      writer.add(packet)
      return writer.count
    }
  }

  /// Each unit with its length before it, in place of a start code.
  private func picture(
    _ packet: UnsafeBufferPointer<UInt8>, _ isKeyframe: Bool, _ cts: Int64
  ) -> SharedBytes {
    pool.bytes(atMost: Self.most(parameters.count, packet.count)) { memory in
      var writer = ByteWriter(memory)
      writer.add(isKeyframe ? 0x17 : 0x27)
      writer.add(1)
      writer.add(UInt32(truncatingIfNeeded: cts), bytes: 3)
      if isKeyframe { parameters.withUnsafeBufferPointer { writer.add($0) } }
      AnnexB.forEachUnit(in: packet) { unit in
        writer.add(UInt32(unit.count), bytes: 4)
        writer.add(UnsafeBufferPointer(rebasing: packet[unit]))
      }
      return writer.count
    }
  }
}
