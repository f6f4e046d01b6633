/// What comes and goes, and is to be known again.
package protocol Pluggable: Sendable {
  var usb: USBIdentity? { get }
  /// Whether it is the device that `other` was, or one that nothing but its port tells from it.
  func isSame(as other: Self) -> Bool
}

extension VideoNode: Pluggable {}
extension Microphone: Pluggable {}

/// The device that was taken, whatever number it has by now.
///
/// Many devices have no serial number, or one that all of a kind have. A twin that was there as well is
/// told from it by its port, so that nobody's other camera goes on air.
package struct KnownDevice<Device: Pluggable>: Sendable {
  package let device: Device
  /// The ports of its twins.
  private let strangers: Set<String>

  /// - Parameter others: the USB devices that were there when it was taken; itself may be among them.
  package init(_ device: Device, beside others: [USBIdentity]) {
    self.device = device
    let twins = others.filter { $0.isSameDevice(as: device.usb) && $0.port != device.usb?.port }
    strangers = Set(twins.map(\.port))
  }

  /// - Returns: those that may be it, the likeliest first.
  package func found(among devices: [Device]) -> [Device] {
    let same = devices.filter { $0.isSame(as: device) && mayBe($0.usb) }
    return same.filter { $0.usb?.port == device.usb?.port }
      + same.filter { $0.usb?.port != device.usb?.port }
  }

  func mayBe(_ usb: USBIdentity?) -> Bool { !(usb.map { strangers.contains($0.port) } ?? false) }
}
