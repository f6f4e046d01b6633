package import BunnySystem
import CBunnyFFmpeg

/// One picture as a camera or another program has coded it: H.264 in Annex B.
package struct AccessUnit: Sendable {
  package let packet: Packet
  /// When it was captured.
  package let time: MonotonicTime
  package let facts: CodedFacts
}

/// What a coded picture says of itself.
package struct CodedFacts: Equatable, Sendable {
  /// Counts the pictures of its source, so that one that is missing is noticed.
  package var number: Int
  /// An IDR picture whose parameter sets are known.
  package var isKeyframe: Bool
  /// It has B slices: others may be shown before it that are decoded after it.
  package var isBFrame = false
  package var isInterlaced = false
  /// Pixels that are shown; 0 before the first parameter sets.
  package var width: Int
  package var height: Int
  /// FFmpeg's name: `yuv420p`.
  package var format: String
  package var parameters: ParameterSets
  /// Bytes.
  package var size: Int

  package init(
    number: Int, isKeyframe: Bool, width: Int, height: Int, format: String = "yuv420p",
    parameters: ParameterSets = ParameterSets(), size: Int
  ) {
    self.number = number
    self.isKeyframe = isKeyframe
    (self.width, self.height, self.format) = (width, height, format)
    self.parameters = parameters
    self.size = size
  }
}

/// H.264's sequence and picture parameter sets, as NAL units.
package struct ParameterSets: Equatable, Sendable {
  package var sequence: [UInt8] = []
  package var pictures: [[UInt8]] = []

  package init() {}

  /// What a decoder needs is there.
  package var isWhole: Bool { sequence.count >= 4 && !pictures.isEmpty }

  /// Those of one picture: a sequence's are new ones, for pictures that follow.
  package mutating func take(_ units: [[UInt8]]) {
    for unit in units {
      switch unit[0] & 0x1F {
      case 7:
        if unit != sequence { (sequence, pictures) = (unit, []) }
      case 8:
        if let old = pictures.firstIndex(where: { Self.number(of: $0) == Self.number(of: unit) }) {
          pictures[old] = unit
        } else {
          pictures.append(unit)
        }
      default: break
      }
    }
  }

  /// Which of its sequence's, 0 to 255, a picture parameter set is; a new one takes the old one's place.
  private static func number(of unit: [UInt8]) -> Int? {
    let bits = unit.dropFirst().prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let word = unit.count < 5 ? bits << (8 * UInt32(5 - unit.count)) : bits
    let zeros = word.leadingZeroBitCount
    guard zeros <= 8 else { return nil }
    return Int((word << zeros) >> (31 - zeros)) - 1  // Exp-Golomb
  }

  /// The body of FLV's AVC sequence header: an AVCDecoderConfigurationRecord.
  package var sequenceHeader: [UInt8] {
    guard isWhole else { return [] }
    var body: [UInt8] = [0x17, 0, 0, 0, 0, 1]
    body += sequence[1...3]  // profile, compatibility, level
    body += [0xFF, 0xE1] + length(sequence) + sequence
    body.append(UInt8(pictures.count & 0xFF))
    for picture in pictures { body += length(picture) + picture }
    if ![66, 77, 88].contains(sequence[1]) { body += [0xFD, 0xF8, 0xF8, 0] }  // 4:2:0, 8 bit
    return body
  }

  /// All of them as a frame's units: each with its length in four bytes before it.
  var units: [UInt8] { ([sequence] + pictures).flatMap { [0, 0] + length($0) + $0 } }

  private func length(_ unit: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: unit.count >> 8), UInt8(truncatingIfNeeded: unit.count)]
  }
}

/// Finds out what coded pictures say of themselves. Belongs to one thread.
package final class AccessUnitReader {
  private let parser: UnsafeMutablePointer<AVCodecParserContext>
  private let context: CodecContext
  private var parameters = ParameterSets()
  private var packets = PacketPool()
  private var number = 0

  /// - Throws: ``AVFailure`` when this FFmpeg knows no H.264.
  package init() throws(AVFailure) {
    guard let codec = avcodec_find_decoder(AV_CODEC_ID_H264),
      let parser = av_parser_init(Int32(AV_CODEC_ID_H264.rawValue))
    else { throw AVFailure(call: "av_parser_init(h264)", code: bunny_error_decoder_not_found) }
    self.parser = parser
    parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
    context = CodecContext(codec)
  }

  deinit { av_parser_close(parser) }

  /// A picture is missing.
  package func skip() { number += 1 }

  /// - Parameter bytes: all of one picture.
  package func read(_ bytes: UnsafeBufferPointer<UInt8>, at time: MonotonicTime) -> AccessUnit {
    let packet = packets.copy(of: bytes)
    var hasIDR = false
    AnnexB.forEachUnit(in: bytes) { unit in
      switch bytes[unit.lowerBound] & 0x1F {
      case 5: hasIDR = true
      case 7, 8: parameters.take([Array(bytes[unit])])
      default: break
      }
    }
    var (out, count): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
    _ = av_parser_parse2(
      parser, context.raw, &out, &count, packet.raw.pointee.data, packet.raw.pointee.size,
      bunny_no_pts, bunny_no_pts, 0)
    var facts = CodedFacts(
      number: number,
      isKeyframe: parameters.isWhole && hasIDR,
      width: max(0, Int(parser.pointee.width)), height: max(0, Int(parser.pointee.height)),
      format: av_get_pix_fmt_name(AVPixelFormat(parser.pointee.format))
        .map { String(cString: $0) } ?? "unknown",
      parameters: parameters, size: bytes.count)
    facts.isBFrame = parser.pointee.pict_type == Int32(AV_PICTURE_TYPE_B.rawValue)
    facts.isInterlaced =
      parser.pointee.picture_structure == AV_PICTURE_STRUCTURE_TOP_FIELD
      || parser.pointee.picture_structure == AV_PICTURE_STRUCTURE_BOTTOM_FIELD
    number += 1
    return AccessUnit(packet: packet, time: time, facts: facts)
  }
}
