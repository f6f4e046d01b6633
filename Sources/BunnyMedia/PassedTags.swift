import BunnySystem

/// Makes the tags of pictures that a camera has coded itself, and that are shown in the order in which they are
/// decoded, in memory that is used again. Belongs to one thread.
package struct PassedTags {
  private var pool = BytePool(blockSize: 256 << 10)
  private var parameters = ParameterSets()
  /// Of `parameters`: what goes into each keyframe, and ahead of the first one.
  private var units: [UInt8] = []
  private var sequenceHeader = SharedBytes([])

  package init() {}

  package mutating func tag(_ unit: AccessUnit, dts: Int64, trace: MediaTag.Trace) -> MediaTag {
    if unit.facts.parameters != parameters {
      parameters = unit.facts.parameters
      units = parameters.units
      sequenceHeader = SharedBytes(parameters.sequenceHeader)
    }
    var tag = MediaTag(
      kind: .video, dts: dts, isKeyframe: unit.facts.isKeyframe, body: body(unit), trace: trace)
    tag.parameters = sequenceHeader
    return tag
  }

  private mutating func body(_ unit: AccessUnit) -> SharedBytes {
    let (content, isKeyframe) = (unit.packet.content, unit.facts.isKeyframe)
    return pool.bytes(atMost: TagMuxer.most(units.count, content.count)) { memory in
      var writer = ByteWriter(memory)
      writer.add(isKeyframe ? 0x17 : 0x27)
      writer.add(1)
      writer.add(0, bytes: 3)
      // In each keyframe as well, as ``TagMuxer`` has it.
      if isKeyframe { units.withUnsafeBufferPointer { writer.add($0) } }
      AnnexB.forEachUnit(in: content) { nal in
        // Parameter sets, delimiters and filler are not the picture's.
        switch content[nal.lowerBound] & 0x1F {
        case 7, 8, 9, 12: return
        default:
          writer.add(UInt32(nal.count), bytes: 4)
          writer.add(UnsafeBufferPointer(rebasing: content[nal]))
        }
      }
      return writer.count
    }
  }
}
