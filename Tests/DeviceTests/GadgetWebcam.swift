import BunnySystem
import CBunnyV4L2
import Foundation
import Support
import Testing

/// A USB webcam with a microphone that this machine is itself: a gadget on `usbip-vudc`, plugged into
/// `vhci_hcd`. It enumerates like any other, and delivers nothing.
///
/// Its machine has to end with it: nothing is brought back.
final class GadgetWebcam: Sendable {
  static let serial = "LAB4711"
  private static let gadget = "/sys/kernel/config/usb_gadget/webcam"

  /// One Motion-JPEG mode, 640x360 at 30, and a microphone of 48 kHz.
  private static let making = """
    set -e
    modprobe -a libcomposite usb_f_uvc usb_f_uac1 uvcvideo snd-usb-audio usbip-vudc vhci-hcd
    mount -t configfs none /sys/kernel/config || true
    mkdir \(gadget) && cd \(gadget)
    echo 0x046d >idVendor; echo 0x082d >idProduct
    mkdir -p strings/0x409 configs/c.1 functions/uvc.0 functions/uac1.0
    echo \(serial) >strings/0x409/serialnumber; echo "Lab Webcam" >strings/0x409/product
    cd functions/uvc.0
    mkdir -p control/header/h streaming/mjpeg/m/f streaming/header/h
    echo 640 >streaming/mjpeg/m/f/wWidth; echo 360 >streaming/mjpeg/m/f/wHeight
    echo 333333 >streaming/mjpeg/m/f/dwFrameInterval
    ln -s control/header/h control/class/fs; ln -s control/header/h control/class/ss
    (cd streaming/header/h; ln -s ../../mjpeg/m)
    for speed in fs hs ss; do (cd streaming/class/$speed; ln -s ../../header/h); done
    cd \(gadget)
    ln -s functions/uvc.0 configs/c.1; ln -s functions/uac1.0 configs/c.1
    echo usbip-vudc.0 >UDC
    """

  init() async throws {
    try await DeviceLab.run("sh", "-c", Self.making)
    let nodes = try FileManager.default.contentsOfDirectory(atPath: "/sys/class/video4linux")
    let node = try #require(
      nodes.first {
        let link = "/sys/class/video4linux/\($0)"
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: link))?
          .contains("usbip-vudc") == true
      })
    let device = open("/dev/\(node)", O_RDWR | O_CLOEXEC)
    try #require(device >= 0)
    for event in Event.first..<(Event.first + 6) {
      var wish = v4l2_event_subscription()
      wish.type = event
      try #require(bunny_v4l2(device, Request.subscribe, &wish) == 0)
    }
    startThread("webcam") { while Self.answer(device) {} }
  }

  // MARK: What <linux/usb/g_uvc.h> says

  private enum Event {
    static let first = UInt32(V4L2_EVENT_PRIVATE_START)
    static let setup = first + 4
  }

  private enum Request {
    static let subscribe: UInt = 1 << 30 | 32 << 16 | 0x56 << 8 | 90
    static let takeEvent: UInt = 2 << 30 | 136 << 16 | 0x56 << 8 | 89
    static let answer: UInt = 1 << 30 | 64 << 16 | 0x55 << 8 | 1
  }

  /// What is negotiated, always the same: the first format and frame, at 30 frames a second.
  private static let streaming: [UInt8] =
    [1, 0, 1, 1, 0x15, 0x16, 0x05, 0] + [UInt8](repeating: 0, count: 10)
    + [0, 0x08, 0x07, 0, 0, 0x04, 0, 0] + [UInt8](repeating: 0, count: 8)

  /// Waits for the host's next question.
  private static func answer(_ device: Int32) -> Bool {
    var event = v4l2_event()
    guard bunny_v4l2(device, Request.takeEvent, &event) == 0 else { return false }
    guard event.type == Event.setup else { return true }
    let setup = withUnsafeBytes(of: event.u.data) { [UInt8]($0.prefix(8)) }
    let length = Int(setup[6]) | Int(setup[7]) << 8
    let isQuestion = setup[0] & 0x80 != 0
    let (lengthOfIt, whatItCan): (UInt8, UInt8) = (0x85, 0x86)
    let words: [UInt8] =
      switch setup[1] {
      case lengthOfIt: [UInt8(streaming.count), 0]
      case whatItCan: [3]
      default: streaming
      }
    var answer = [UInt8](repeating: 0, count: 64)
    let count = isQuestion ? min(length, words.count) : length
    withUnsafeBytes(of: Int32(count)) { answer.replaceSubrange(0..<4, with: $0) }
    if isQuestion { answer.replaceSubrange(4..<(4 + count), with: words.prefix(count)) }
    return bunny_v4l2(device, Request.answer, &answer) == 0
  }

  // MARK: The cable

  private static let hub = "/sys/devices/platform/vhci_hcd.0"

  /// - Parameter port: of the virtual hub, from 0.
  func plugIn(at port: Int) throws {
    // The kernel keeps both ends of the connection.
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    try Self.write("\(ends[0])", to: "/sys/devices/platform/usbip-vudc.0/usbip_sockfd")
    let (device, highSpeed) = (0x10002, 3)
    try Self.write("\(port) \(ends[1]) \(device) \(highSpeed)", to: "\(Self.hub)/attach")
  }

  func unplug(from port: Int) throws { try Self.write("\(port)", to: "\(Self.hub)/detach") }

  private static func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    let count = Foundation.write(file, text, text.utf8.count)
    try #require(count == text.utf8.count, "\(path): \(String(cString: strerror(errno)))")
  }
}
