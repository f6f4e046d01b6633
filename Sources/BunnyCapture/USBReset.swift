import BunnySystem
import CBunnyV4L2
import Glibc
import Synchronization

/// Resets USB devices, as if they were unplugged and plugged in again. From any thread.
package final class USBReset: Sendable {
  /// What came of it.
  package enum Outcome: Equatable, Sendable {
    case done(USBDevice)
    /// It is not on the bus: there is nothing to reset.
    case absent
    /// It was reset a moment ago, because of another of its functions.
    case fresh
    case refused(USBDevice, code: Int32)
  }

  /// A camera and its microphone are one device, and lost together.
  private static let pause: Int64 = .seconds(30)

  private let last = Mutex<[String: MonotonicTime]>([:])
  private let root: String
  private let reset: @Sendable (_ node: String) -> Int32

  /// - Parameters:
  ///   - root: where `sys` and `dev` are.
  ///   - reset: the call: 0, or the `errno`.
  package init(
    root: String = "", reset: @escaping @Sendable (_ node: String) -> Int32 = USBReset.call
  ) {
    (self.root, self.reset) = (root, reset)
  }

  /// Whether it is on the bus.
  package func finds(_ identity: USBIdentity?) -> Bool {
    identity.flatMap { USBDevice($0, root: root) } != nil
  }

  /// Blocks until the device is there again, or has refused.
  package func reset(_ identity: USBIdentity) -> Outcome {
    guard let device = USBDevice(identity, root: root) else { return .absent }
    let now = MonotonicTime.now
    let isFresh = last.withLock { last in
      if let time = last[device.port], now - time < Self.pause { return true }
      last[device.port] = now
      return false
    }
    if isFresh { return .fresh }
    let code = reset(device.node)
    return code == 0 ? .done(device) : .refused(device, code: code)
  }

  /// `USBDEVFS_RESET`. The device may have gone when it returns, and come back under another number.
  package static func call(_ node: String) -> Int32 {
    let file = open(node, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return errno }
    defer { close(file) }
    return bunny_v4l2(file, bunny_usbdevfs_reset, nil)
  }
}

/// A device that is on the bus now.
package struct USBDevice: Equatable, Sendable {
  /// `1-2`.
  package let port: String
  /// `046d:082d`.
  package let model: String
  /// `/dev/bus/usb/001/004`.
  package let node: String

  /// - Parameter root: where `sys` and `dev` are.
  /// - Returns: nil when it is not there, or when there are several like it and none is where it was.
  package init?(_ identity: USBIdentity, root: String = "") {
    let folder = "\(root)/sys/bus/usb/devices"
    let alike = SystemFiles.names(in: folder).filter {
      Self.isSame(identity, folder: "\(folder)/\($0)")
    }
    let isWhereItWas = alike.contains(identity.port)
    guard let port = isWhereItWas ? identity.port : alike.first, isWhereItWas || alike.count == 1,
      let bus = Self.number("\(folder)/\(port)/busnum"),
      let device = Self.number("\(folder)/\(port)/devnum")
    else { return nil }
    self.port = port
    model = identity.model
    node = "\(root)/dev/bus/usb/\(bus)/\(device)"
  }

  private static func isSame(_ identity: USBIdentity, folder: String) -> Bool {
    func text(_ name: String) -> String? {
      SystemFiles.text("\(folder)/\(name)").flatMap { $0.isEmpty ? nil : $0 }
    }
    return text("idVendor").flatMap { UInt16($0, radix: 16) } == identity.vendor
      && text("idProduct").flatMap { UInt16($0, radix: 16) } == identity.product
      && text("serial") == identity.serial
  }

  /// Three digits, as the nodes are called.
  private static func number(_ path: String) -> String? {
    guard let number = SystemFiles.text(path).flatMap({ Int($0) }) else { return nil }
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }
}

extension USBReset.Outcome {
  /// In a sentence; nil: nothing was done that a person should know of.
  package var words: String? {
    switch self {
    case .absent, .fresh: nil
    case .done(let device):
      "the USB device \(device.port) (\(device.model)) did not come back by itself: reset it"
    case .refused(let device, EACCES), .refused(let device, EPERM):
      "the USB device \(device.port) (\(device.model)) may not be reset by this user; let the group "
        + "video write to \(device.node), with the udev rule SUBSYSTEM==\"usb\", "
        + "ATTR{idVendor}==\"\(device.model.prefix(4))\", GROUP=\"video\", MODE=\"0664\""
    case .refused(let device, let code):
      "the USB device \(device.port) (\(device.model)) cannot be reset: \(V4L2Device.words(code)); "
        + "it is tried again"
    }
  }
}
