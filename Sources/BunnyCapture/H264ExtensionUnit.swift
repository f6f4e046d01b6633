import BunnySystem
import CBunnyV4L2

/// The unit of a USB camera through which its H.264 encoder is asked for things (USB Device Class
/// Definition for Video Devices: H.264 Payload 1.0, tables 1 and 8).
package enum H264ExtensionUnit {
  /// {A29E7641-DE04-47E3-8B2B-F4341AFF003B}, as it lies in the descriptor.
  private static let guid: [UInt8] = [
    0x41, 0x76, 0x9E, 0xA2, 0x04, 0xDE, 0xE3, 0x47, 0x8B, 0x2B, 0xF4, 0x34, 0x1A, 0xFF, 0x00, 0x3B,
  ]
  private static let interface: UInt8 = 0x04
  private static let classSpecific: UInt8 = 0x24
  private static let extensionUnit: UInt8 = 0x06

  /// - Parameters:
  ///   - descriptors: the device's, as sysfs shows them.
  ///   - number: of the camera's VideoControl interface.
  /// - Returns: nil where there is none.
  package static func id(in descriptors: [UInt8], ofInterface number: UInt8) -> UInt8? {
    var rest = descriptors[...]
    var isCamera = false
    while let length = rest.first.map(Int.init), length >= 2, length <= rest.count {
      let descriptor = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      if descriptor[1] == interface && length >= 9 {
        isCamera = descriptor[2] == number && descriptor[5] == 0x0E && descriptor[6] == 0x01
      } else if isCamera, descriptor[1] == classSpecific, length >= 20,
        descriptor[2] == extensionUnit, Array(descriptor[4..<20]) == guid
      {
        return descriptor[3]
      }
    }
    return nil
  }

  /// That of a camera's node.
  static func id(of path: String) -> UInt8? {
    let folder = "/sys/class/video4linux/\(path.dropFirst(5))/device"
    let number = SystemFiles.text("\(folder)/bInterfaceNumber").flatMap { UInt8($0, radix: 16) }
    return number.flatMap { id(in: SystemFiles.bytes("\(folder)/../descriptors"), ofInterface: $0) }
  }
}

extension V4L2Device {
  private static let pictureType: UInt8 = 9
  /// An IDR picture, with new parameter sets before it.
  private static let refresh: UInt8 = 2

  /// Asks for a keyframe, by the driver's control or else by the camera's extension unit.
  ///
  /// - Parameter unit: nil: it has none.
  /// - Returns: why that was refused; nil where it was taken, or where there is no way to ask.
  func askForKeyframe(_ unit: UInt8?) -> String? {
    var control = v4l2_control(id: bunny_cid_force_keyframe, value: 1)
    if ask(bunny_vidioc_s_ctrl, &control) == 0 { return nil }
    guard let unit else { return nil }
    var request: [UInt8] = [0, 0, Self.refresh, 0]  // layer and type, 16 bits each
    let code = bunny_uvc_set(
      fileDescriptor, unit, Self.pictureType, &request, UInt16(request.count))
    return code == 0 ? nil : Self.words(code)
  }
}
