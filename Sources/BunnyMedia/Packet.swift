import CBunnyFFmpeg
import Synchronization

/// One encoded access unit.
public final class Packet: @unchecked Sendable {  // written only while nobody else holds it
  let raw: UnsafeMutablePointer<AVPacket>

  /// The unit ``dts``, ``pts`` and ``duration`` count in.
  public let timebase: Timebase
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

  /// Takes over what `box` holds, which is empty afterwards.
  init(moving box: borrowing PacketBox, timebase: Timebase) {
    raw = av_packet_alloc()
    av_packet_move_ref(raw, box.raw)
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
    precondition(av_new_packet(raw, Int32(bytes.count)) >= 0, "av_new_packet: out of memory")
    if let start = bytes.baseAddress { raw.pointee.data.update(from: start, count: bytes.count) }
  }

  deinit {
    var raw: UnsafeMutablePointer<AVPacket>? = raw
    av_packet_free(&raw)
  }
}

/// Packets that are filled again when nobody holds them any more. Belongs to one thread.
struct PacketPool {
  /// The oldest first: they are let go in about that order.
  private var packets: [Packet] = []

  mutating func copy(of bytes: UnsafeBufferPointer<UInt8>) -> Packet {
    guard let free = firstFree() else {
      packets.append(Packet(copying: bytes))
      return packets[packets.count - 1]
    }
    packets.removeFirst(free)  // who holds on to old ones keeps them alone
    atomicMemoryFence(ordering: .acquiring)  // whoever let go of it has read all of it
    let packet = packets.removeFirst()
    packet.fill(with: bytes)
    packets.append(packet)
    return packet
  }

  private mutating func firstFree() -> Int? {
    for index in packets.indices where isKnownUniquelyReferenced(&packets[index]) { return index }
    return nil
  }
}
