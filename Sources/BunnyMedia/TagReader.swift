import CBunnyFFmpeg

/// Plays an RTMP stream through libavformat and returns its tags as they are, undecoded.
///
/// Belongs to one thread; the interrupter may be used from any.
package final class TagReader {
  private let io: UnsafeMutablePointer<AVIOContext>
  private let interrupter: Interrupter

  /// Connects and waits until a publisher's first tag is there.
  ///
  /// - Throws: ``AVFailure`` from `avio_open2`; also when interrupted.
  package init(_ url: String, interrupter: Interrupter) throws(AVFailure) {
    var callback = AVIOInterruptCB(
      callback: { opaque in
        Unmanaged<Interrupter>.fromOpaque(opaque!).takeUnretainedValue().isInterrupted ? 1 : 0
      }, opaque: Unmanaged.passUnretained(interrupter).toOpaque())
    var options = Options(["rtmp_live": "live", "tcp_nodelay": "1"])
    var opened: UnsafeMutablePointer<AVIOContext>?
    try check(
      "avio_open2", avio_open2(&opened, url, AVIO_FLAG_READ, &callback, &options.raw))
    io = opened!
    self.interrupter = interrupter
    var fileHeader = [UInt8](repeating: 0, count: 9 + 4)
    guard avio_read(io, &fileHeader, 13) == 13 else {
      avio_close(opened)
      throw AVFailure(call: "avio_read", code: bunny_error_eof)
    }
  }

  deinit { avio_close(io) }

  /// The next picture, sound or sequence header; its time in RTMP's 32 bits.
  ///
  /// - Returns: nil at the end.
  /// - Throws: ``AVFailure`` from `avio_read`; also when interrupted.
  package func next() throws(AVFailure) -> MediaTag? {
    while true {
      guard let head = try read(11) else { return nil }
      let size = Int(head[1]) << 16 | Int(head[2]) << 8 | Int(head[3])
      guard let body = try read(size + 4) else { return nil }
      let time =
        UInt32(head[7]) << 24 | UInt32(head[4]) << 16 | UInt32(head[5]) << 8 | UInt32(head[6])
      if let tag = Self.tag(type: head[0] & 0x1F, time: Int64(time), Array(body.dropLast(4))) {
        return tag
      }
    }
  }

  private func read(_ count: Int) throws(AVFailure) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let code = avio_read(io, &bytes, Int32(count))
    if code == bunny_error_eof || (code >= 0 && Int(code) < count) { return nil }
    try check("avio_read", code)
    return bytes
  }

  /// nil for what is neither H.264 nor AAC.
  private static func tag(type: UInt8, time: Int64, _ body: [UInt8]) -> MediaTag? {
    switch type {
    case 9 where body.count > 5 && body[0] & 0x0F == 7 && body[1] < 2:
      let cts = Int32(body[2]) << 24 | Int32(body[3]) << 16 | Int32(body[4]) << 8
      return MediaTag(
        kind: .video, dts: time, cts: Int64(cts >> 8), isKeyframe: body[0] >> 4 == 1,
        isSequenceHeader: body[1] == 0, body: body)
    case 8 where body.count > 2 && body[0] >> 4 == 10:
      return MediaTag(
        kind: .audio, dts: time, isKeyframe: true, isSequenceHeader: body[1] == 0, body: body)
    default: return nil
    }
  }
}
