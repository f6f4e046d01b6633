import Foundation
import Support
import Testing

extension DeviceTests {
  /// A USB microphone that is plugged in and captures nothing: a gadget behind `usbip-vudc`, which has no
  /// isochronous transfers.
  @Suite struct USBResets {
    private static let gadget = "/sys/kernel/config/usb_gadget/lab"

    private func plug() async throws {
      for module in ["usbip-vudc", "vhci-hcd", "libcomposite", "snd-usb-audio"] {
        try await DeviceLab.run("modprobe", module)
      }
      try await DeviceLab.run(
        "sh", "-ec",
        """
        mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
        mkdir \(Self.gadget); cd \(Self.gadget)
        echo 0x1d6b >idVendor; echo 0x0101 >idProduct
        mkdir strings/0x409 functions/uac2.0 configs/c.1
        echo 42 >strings/0x409/serialnumber; echo 'Lab Mic' >strings/0x409/product
        ln -s functions/uac2.0 configs/c.1/
        echo usbip-vudc.0 >UDC
        """)
      var ends: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      defer { for end in ends { close(end) } }  // the kernel has its own hold of them by then
      try tell("usbip-vudc.0/usbip_sockfd", "\(ends[0])")
      // Port, socket, which device it is over there, high speed.
      try tell("vhci_hcd.0/attach", "0 \(ends[1]) 65537 3")
    }

    private func unplug() async throws {
      try tell("vhci_hcd.0/detach", "0")
      try await DeviceLab.run(
        "sh", "-c",
        """
        cd \(Self.gadget); echo >UDC; rm configs/c.1/uac2.0
        rmdir configs/c.1 functions/uac2.0 strings/0x409 \(Self.gadget)
        """)
    }

    private func tell(_ file: String, _ text: String) throws {
      let handle = try FileHandle(
        forWritingTo: URL(filePath: "/sys/devices/platform/\(file)"))
      try handle.write(contentsOf: Data(text.utf8))
      try handle.close()
    }

    @Test func `a microphone that stays silent is reset on its bus`() async throws {
      try await plug()
      let ingest = try ScriptedIngest()
      let small = try SmallPublish()
      let command = try Command.start(
        small.arguments(to: ingest.url(), "--usb-reset").map { $0 == "tone" ? "alsa:Lab Mic" : $0 })
      _ = try await command.waitForLine(in: .error) {
        $0.contains("the USB device 1-1 (1d6b:0101) did not come back by itself: reset it")
      }
      #expect(try await DeviceLab.run("dmesg").contains("usb 1-1: reset high-speed USB device"))
      command.send(SIGTERM)
      #expect(try await command.outcome().exitStatus == 0)
      try await unplug()
    }
  }
}
