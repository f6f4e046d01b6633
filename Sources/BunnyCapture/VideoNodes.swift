import BunnyMedia
import BunnySystem
import CBunnyV4L2
import Glibc

extension VideoNode {
  /// Every `/dev/video` node of this machine, by number. Opens each for a moment.
  public static func all() -> [VideoNode] { ListedNode.all().map { VideoNode($0) } }

  /// Opens it for a moment.
  init(_ listed: ListedNode) {
    do throws(CameraProblem) {
      let device = try V4L2Device(listed.path)
      let captures = !device.capabilities.isDisjoint(with: [.capture, .captureInPlanes])
      self.init(
        path: listed.path, driver: device.driver, card: device.card, bus: device.bus,
        usb: listed.usb, links: listed.links, capabilities: device.capabilities,
        index: listed.index, offers: captures ? device.offers() : [])
    } catch {
      self.init(
        path: listed.path, driver: "", card: listed.name, bus: "", usb: listed.usb,
        links: listed.links, capabilities: [], index: listed.index, offers: [], problem: error)
    }
  }
}

extension USBIdentity {
  /// - Parameter folder: a device's in sysfs; nil when neither it nor those above are USB devices.
  init?(ofDeviceAt folder: String) {
    guard var place = SystemFiles.realPath(folder) else { return nil }
    while place.contains("/sys/devices/"), let slash = place.lastIndex(of: "/") {
      if let vendor = SystemFiles.text("\(place)/idVendor").flatMap({ UInt16($0, radix: 16) }),
        let product = SystemFiles.text("\(place)/idProduct").flatMap({ UInt16($0, radix: 16) })
      {
        let serial = SystemFiles.text("\(place)/serial").flatMap { $0.isEmpty ? nil : $0 }
        let port = String(place[place.index(after: slash)...])
        self.init(vendor: vendor, product: product, serial: serial, port: port)
        return
      }
      place = String(place[..<slash])
    }
    return nil
  }
}

extension V4L2Device {
  // What no driver reaches: one that never stops counting is not followed for ever.
  private static let mostFormats: UInt32 = 64
  private static let mostSizes: UInt32 = 256
  private static let mostRates: UInt32 = 128

  /// All that it says it can capture.
  func offers() -> [CameraOffer] {
    var offers: [CameraOffer] = []
    for index in 0..<Self.mostFormats {
      var format = v4l2_fmtdesc()
      format.index = index
      format.type = captureType
      guard ask(bunny_vidioc_enum_fmt, &format) == 0 else { break }
      let code = FourCC(code: format.pixelformat)
      guard !offers.contains(where: { $0.format == code }) else { continue }
      offers.append(CameraOffer(code, words: text(format.description), sizes(of: code)))
    }
    return offers
  }

  private func sizes(of format: FourCC) -> [CameraSizes] {
    var sizes: [CameraSizes] = []
    for index in 0..<Self.mostSizes {
      var answer = v4l2_frmsizeenum()
      answer.index = index
      answer.pixel_format = format.code
      guard ask(bunny_vidioc_enum_framesizes, &answer) == 0 else { break }
      if answer.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
        let (width, height) = (answer.discrete.width, answer.discrete.height)
        sizes.append(CameraSizes(Int(width), Int(height), rates(of: format, width, height)))
      } else {
        let range = answer.stepwise
        guard range.min_width <= range.max_width, range.min_height <= range.max_height else {
          break
        }
        sizes.append(
          CameraSizes(
            width: Int(range.min_width)...Int(range.max_width),
            height: Int(range.min_height)...Int(range.max_height),
            widthStep: Int(range.step_width), heightStep: Int(range.step_height),
            rates(of: format, range.max_width, range.max_height)))
        break
      }
    }
    return sizes.isEmpty ? presentSize().map { [$0] } ?? [] : sizes
  }

  /// What it is set to, for drivers that tell no sizes: their input decides, not we.
  private func presentSize() -> CameraSizes? {
    var format = v4l2_format()
    format.type = captureType
    guard ask(bunny_vidioc_g_fmt, &format) == 0 else { return nil }
    let pixels = pixels(of: format)
    return pixels.width > 0
      ? CameraSizes(Int(pixels.width), Int(pixels.height), .unknown) : nil
  }

  private func rates(of format: FourCC, _ width: UInt32, _ height: UInt32) -> CameraRates {
    var rates: [Timebase] = []
    for index in 0..<Self.mostRates {
      var answer = v4l2_frmivalenum()
      answer.index = index
      answer.pixel_format = format.code
      (answer.width, answer.height) = (width, height)
      guard ask(bunny_vidioc_enum_frameintervals, &answer) == 0 else { break }
      if answer.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
        if let rate = Timebase(rateOf: answer.discrete), !rates.contains(rate) {
          rates.append(rate)
        }
      } else {
        guard let least = Timebase(rateOf: answer.stepwise.max)?.value,
          let most = Timebase(rateOf: answer.stepwise.min)?.value, least <= most
        else { break }
        return .range(least...most)
      }
    }
    return rates.isEmpty ? .unknown : .these(rates)
  }
}

extension Timebase {
  /// - Parameter interval: what a frame lasts, seconds; nil when that is no time.
  init?(rateOf interval: v4l2_fract) {
    guard let numerator = Int32(exactly: interval.denominator), numerator > 0,
      let denominator = Int32(exactly: interval.numerator), denominator > 0
    else { return nil }
    self.init(numerator, denominator)
  }
}
