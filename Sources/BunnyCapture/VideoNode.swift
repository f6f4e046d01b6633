/// A `/dev/video` node, as its driver and sysfs describe it.
public struct VideoNode: Equatable, Sendable {
  /// `/dev/video0`.
  public let path: String
  /// `uvcvideo`.
  public let driver: String
  /// What the device calls itself.
  public let card: String
  /// Where it is plugged in: `usb-0000:00:14.0-2`.
  public let bus: String
  public let usb: USBIdentity?
  /// Other names of the node, such as those in `/dev/v4l/by-id`.
  public let links: [String]
  public let offers: [CameraOffer]
  /// `V4L2_CAP_…` of this node.
  package let capabilities: Capabilities
  /// Which of its device's nodes it is, from 0.
  package let index: Int
  /// H.264 that it codes itself is wanted, and counts as a format that can be captured.
  package var capturesCoded = false
  /// Why it could not be opened, and the rest is only what sysfs tells.
  package let problem: CameraProblem?

  package init(
    path: String, driver: String, card: String, bus: String, usb: USBIdentity? = nil,
    links: [String] = [], capabilities: Capabilities, index: Int = 0, offers: [CameraOffer],
    problem: CameraProblem? = nil
  ) {
    self.path = path
    self.driver = driver
    self.card = card
    self.bus = bus
    self.usb = usb
    self.links = links
    self.capabilities = capabilities
    self.index = index
    self.offers = offers
    self.problem = problem
  }
}

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

  /// The same device, or one that nothing but its port tells from it.
  package func isSameDevice(as other: USBIdentity?) -> Bool {
    model == other?.model && serial == other?.serial
  }

  /// As `lsusb` writes it: `046d:0825`.
  public var model: String { "\(Self.hex(vendor)):\(Self.hex(product))" }

  private static func hex(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

extension VideoNode {
  /// `V4L2_CAP_…`, those that matter here.
  package struct Capabilities: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let capture = Self(rawValue: 0x1)
    package static let output = Self(rawValue: 0x2)
    package static let captureInPlanes = Self(rawValue: 0x1000)
    package static let outputInPlanes = Self(rawValue: 0x2000)
    package static let memoryToMemoryInPlanes = Self(rawValue: 0x4000)
    package static let memoryToMemory = Self(rawValue: 0x8000)
    package static let metadata = Self(rawValue: 0x80_0000)
    package static let streaming = Self(rawValue: 0x400_0000)
    /// Its pipeline is set up through the media controller.
    package static let mediaController = Self(rawValue: 0x2000_0000)

    package static let memoryToMemoryOfAnyKind: Self = [.memoryToMemory, .memoryToMemoryInPlanes]
  }

  /// Formats that can be captured.
  package var usableOffers: [CameraOffer] {
    offers.filter {
      ($0.format.cost != nil || capturesCoded && $0.format == "H264") && !$0.sizes.isEmpty
    }
  }

  package func isSame(as other: VideoNode) -> Bool {
    guard index == other.index, card == other.card, driver == other.driver else { return false }
    guard let usb, let otherUSB = other.usb else {
      return self.usb == nil && other.usb == nil && bus == other.bus
    }
    return usb.isSameDevice(as: otherUSB)
  }
}
