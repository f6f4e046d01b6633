import BunnySystem
import CBunnyFFmpeg

/// One encoded access unit.
public final class Packet: @unchecked Sendable {  // written only while nobody else holds it
  let raw: UnsafeMutablePointer<AVPacket>

  /// The unit ``dts``, ``pts`` and ``duration`` count in.
  public fileprivate(set) var timebase: Timebase
  /// When it is decoded. `Int64.min` when its container does not say.
  public var dts: Int64 { raw.pointee.dts }
  /// When it is shown. `Int64.min` when its container does not say.
  public var pts: Int64 { raw.pointee.pts }
  /// How long it is shown; 0 when not known.
  public var duration: Int64 { raw.pointee.duration }
  public var isKeyframe: Bool { raw.pointee.flags & AV_PKT_FLAG_KEY != 0 }
  /// Bytes.
  public var size: Int { Int(raw.pointee.size) }

  /// Its bytes, as long as somebody holds it.
  var content: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: raw.pointee.data, count: size)
  }

  /// An empty one, for an encoder to fill.
  init(timebase: Timebase) {
    raw = av_packet_alloc()
    self.timebase = timebase
  }

  /// A copy of `bytes`, which say nothing of their time.
  package convenience init(copying bytes: UnsafeBufferPointer<UInt8>) {
    self.init(timebase: .nanoseconds)
    fill(with: bytes)
  }

  /// Holds a copy of `bytes` instead of what it held.
  fileprivate func fill(with bytes: UnsafeBufferPointer<UInt8>) {
    av_packet_unref(raw)
    timebase = .nanoseconds
    precondition(av_new_packet(raw, Int32(bytes.count)) >= 0, "av_new_packet: out of memory")
    if let start = bytes.baseAddress { raw.pointee.data.update(from: start, count: bytes.count) }
  }

  deinit {
    var raw: UnsafeMutablePointer<AVPacket>? = raw
    av_packet_free(&raw)
  }
}

/// Packets that are used again when nobody holds them any more. Belongs to one thread.
package struct PacketPool {
  /// Of a file, the sound of ten seconds may wait for its picture.
  private var packets = Reused<Packet>(atMost: 1000)

  package init() {}

  package mutating func copy(of bytes: UnsafeBufferPointer<UInt8>) -> Packet {
    guard let packet = packets.free({ _ in true }) else {
      return packets.keep(Packet(copying: bytes))
    }
    packet.fill(with: bytes)
    return packet
  }

  /// Takes over what `box` holds, which is empty afterwards.
  mutating func move(_ box: borrowing PacketBox, timebase: Timebase) -> Packet {
    let packet = packets.free { _ in true } ?? packets.keep(Packet(timebase: timebase))
    av_packet_unref(packet.raw)
    av_packet_move_ref(packet.raw, box.raw)
    packet.timebase = timebase
    return packet
  }
}
