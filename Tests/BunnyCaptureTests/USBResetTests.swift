import BunnyCapture
import Foundation
import Glibc
import Support
import Testing

/// A bus of files: what sysfs shows of it.
@Suite struct USBResetTests {
  private let root: TemporaryDirectory

  init() throws { root = try TemporaryDirectory() }

  private func plug(
    _ port: String, _ vendor: String, _ product: String, serial: String? = nil, number: Int
  ) throws {
    let folder = root.file("sys/bus/usb/devices/\(port)")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let facts = [
      "idVendor": vendor, "idProduct": product, "busnum": "1", "devnum": "\(number)",
      "serial": serial,
    ]
    for (name, text) in facts {
      try text.map { "\($0)\n" }?.write(
        toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
  }

  private func camera(_ port: String, serial: String? = nil) -> USBIdentity {
    USBIdentity(vendor: 0x046d, product: 0x082d, serial: serial, port: port)
  }

  private func node(_ identity: USBIdentity) -> String? {
    USBDevice(identity, root: root.path)?.node
  }

  @Test func `a device is found where it was, under the number that it has now`() throws {
    try plug("1-2", "046d", "082d", number: 4)
    try plug("1-3", "046d", "082d", number: 17)
    #expect(node(camera("1-2")) == root.file("dev/bus/usb/001/004"))
    #expect(node(camera("1-3")) == root.file("dev/bus/usb/001/017"))
  }

  @Test func `one that was plugged in elsewhere is found by what it is`() throws {
    try plug("1-4.1", "046d", "082d", serial: "A5", number: 9)
    try plug("1-2", "046d", "082d", serial: "B6", number: 4)
    #expect(node(camera("1-2", serial: "A5")) == root.file("dev/bus/usb/001/009"))
  }

  @Test func `another device is never taken for it`() throws {
    try plug("1-2", "046d", "0825", number: 4)
    #expect(node(camera("1-2")) == nil)
    // Two of a kind, and neither where it was: nobody knows which.
    try plug("1-5", "046d", "082d", number: 5)
    try plug("1-6", "046d", "082d", number: 6)
    #expect(node(camera("1-2")) == nil)
  }

  @Test func `one device is reset once, whoever asks`() throws {
    try plug("1-2", "046d", "082d", number: 4)
    let calls = Watched<[String]>([])
    let reset = USBReset(root: root.path) { node in
      calls.change { $0.append(node) }
      return 0
    }
    let first = reset.reset(camera("1-2"))
    let second = reset.reset(camera("1-2"))
    let third = reset.reset(camera("1-9", serial: "unplugged"))
    #expect(calls.current == [root.file("dev/bus/usb/001/004")])
    #expect(first.words == "the USB device 1-2 (046d:082d) did not come back by itself: reset it")
    #expect(second == .fresh && third == .absent && second.words == nil && third.words == nil)
  }

  @Test func `a refusal says what helps`() throws {
    try plug("1-2", "046d", "082d", number: 4)
    let node = root.file("dev/bus/usb/001/004")
    let refused = USBReset(root: root.path) { _ in EACCES }.reset(camera("1-2"))
    #expect(
      refused.words
        == "the USB device 1-2 (046d:082d) may not be reset by this user; let the group video write "
        + "to \(node), with the udev rule SUBSYSTEM==\"usb\", ATTR{idVendor}==\"046d\", "
        + "GROUP=\"video\", MODE=\"0664\"")
    let failed = USBReset(root: root.path) { _ in EIO }.reset(camera("1-2"))
    #expect(
      failed.words
        == "the USB device 1-2 (046d:082d) cannot be reset: input/output error; it is tried again")
  }

  @Test func `the call itself says what the system says`() throws {
    #expect(USBReset.call(root.file("none")) == ENOENT)
    try "".write(toFile: root.file("file"), atomically: false, encoding: .utf8)
    #expect(USBReset.call(root.file("file")) == ENOTTY)
  }
}
