import CSupport
import Foundation

/// The user's end of a network device: what the kernel sends over it is read here, packet by packet,
/// and what is written here arrives there. The device lives as long as this object.
final class Tun: Sendable {
  /// Readable while packets wait.
  let descriptor: Int32

  /// A device called `name` in `network`, without addresses and down.
  init(_ name: String, in network: NetworkNamespace) throws {
    descriptor = try network.entered {
      let tun = support_open_tun(name)
      guard tun >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      return tun
    }
  }

  deinit { close(descriptor) }

  /// The next IP packet; nil when none waits.
  func read() -> [UInt8]? {
    var packet = [UInt8](repeating: 0, count: 2048)  // the device's MTU is 1500
    let count = Foundation.read(descriptor, &packet, packet.count)
    guard count > 0 else { return nil }
    packet.removeLast(packet.count - count)
    return packet
  }

  /// Plugs the device's cable in, or pulls it out.
  func setCarrier(_ isThere: Bool) throws {
    guard support_set_carrier(descriptor, isThere ? 1 : 0) == 0 else {
      throw POSIXError(.init(rawValue: errno) ?? .EIO)
    }
  }

  func write(_ packet: [UInt8]) { _ = Foundation.write(descriptor, packet, packet.count) }
}
