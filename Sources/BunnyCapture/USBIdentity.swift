/// What stays the same when a USB device is plugged into another port, or gets another number.
public struct USBIdentity: Equatable, Sendable {
  public let vendor: UInt16
  public let product: UInt16
  /// Many devices have none, or all of a kind the same.
  public let serial: String?
  /// The kernel's name of the device, by its port: `1-2`. A camera's microphone has the same.
  public let port: String

  package init(vendor: UInt16, product: UInt16, serial: String? = nil, port: String) {
    self.vendor = vendor
    self.product = product
    self.serial = serial
    self.port = port
  }

  /// As `lsusb` writes it: `046d:0825`.
  public var model: String { "\(Self.hex(vendor)):\(Self.hex(product))" }

  private static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

extension USBIdentity {
  /// The USB device that something belongs to; nil when it belongs to none.
  ///
  /// - Parameter device: its `device` in sysfs, such as `/sys/class/sound/card1/device`.
  package init?(sysfs device: String) {
    guard let interface = DeviceFiles.resolved(device) else { return nil }
    let folder = interface[..<(interface.lastIndex(of: "/") ?? interface.startIndex)]
    let name = folder.split(separator: "/").last
    guard let name, let vendor = DeviceFiles.text("\(folder)/idVendor"),
      let vendor = UInt16(vendor, radix: 16),
      let product = DeviceFiles.text("\(folder)/idProduct"),
      let product = UInt16(product, radix: 16)
    else { return nil }
    self.init(
      vendor: vendor, product: product, serial: DeviceFiles.text("\(folder)/serial"),
      port: String(name))
  }
}
