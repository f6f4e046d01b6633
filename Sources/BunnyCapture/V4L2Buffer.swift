import CBunnyV4L2

/// What a driver says of one of its buffers, be it one of planes or not.
struct V4L2Buffer {
  let index: UInt32
  let flags: UInt32
  let sequence: UInt32
  let timestamp: timeval
  /// Bytes that it holds, what is before ``dataOffset`` included.
  let bytesUsed: Int
  /// Where in it the picture begins.
  let dataOffset: Int
  /// Bytes that it has room for.
  let length: Int
  /// Where it is to be mapped from.
  let offset: UInt32
}

extension V4L2Device {
  /// Asks for something about, or does something with, a buffer.
  ///
  /// - Returns: 0 or the `errno`, and what the driver says of the buffer.
  func ask(_ request: UInt, ofBuffer index: UInt32) -> (code: Int32, V4L2Buffer) {
    var plane = v4l2_plane()
    var raw = v4l2_buffer()
    raw.index = index
    raw.type = captureType
    raw.memory = V4L2_MEMORY_MMAP.rawValue
    let code = withUnsafeMutablePointer(to: &plane) { plane in
      if isInPlanes { (raw.m.planes, raw.length) = (plane, 1) }
      return ask(request, &raw)
    }
    return (
      code,
      V4L2Buffer(
        index: raw.index, flags: raw.flags, sequence: raw.sequence, timestamp: raw.timestamp,
        bytesUsed: Int(isInPlanes ? plane.bytesused : raw.bytesused),
        dataOffset: isInPlanes ? Int(plane.data_offset) : 0,
        length: Int(isInPlanes ? plane.length : raw.length),
        offset: isInPlanes ? plane.m.mem_offset : raw.m.offset)
    )
  }
}
