import BunnyCapture
import Testing

@Suite struct CameraChoiceTests {
  private let hd720 = WantedPicture(width: 1280, height: 720, framesPerSecond: 30)
  private let desk = [
    CameraTable.webcam, CameraTable.webcamMetadata, CameraTable.webcamH264, CameraTable.grabber,
    CameraTable.thermal, CameraTable.vivid,
  ]

  private func named(_ name: String) throws(CameraProblem) -> String {
    let choice = try CameraChoice(named: name, among: desk)
    return "\(choice.node.path): \(choice.reason)"
  }

  @Test func `a camera goes by its path, its links, its card and its USB numbers`() throws {
    #expect(try named("/dev/video0") == "/dev/video0: as asked")
    #expect(
      try named("/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920_A5C1B2DF-video-index0")
        == "/dev/video0: as asked")
    #expect(
      try named("v4l2:HD Pro Webcam C920") == "/dev/video0: it is called HD Pro Webcam C920")
    #expect(try named("v4l2:c920") == "/dev/video0: it is called HD Pro Webcam C920")
    #expect(try named("v4l2:046d:082d").hasPrefix("/dev/video0"))
    #expect(try named("v4l2:046d:082d:A5C1B2DF").hasPrefix("/dev/video0"))
    #expect(try named("v4l2:Cam Link 4K: Cam Link 4K").hasPrefix("/dev/video4"))
  }

  @Test func `a name that is none is answered with those that are`() {
    #expect {
      _ = try CameraChoice(named: "/dev/video9", among: [CameraTable.webcam])
    } throws: {
      "\(SourceError.camera("/dev/video9", $0 as! CameraProblem))"
        == "/dev/video9 does not exist; there is /dev/video0 "
        + "(HD Pro Webcam C920, 046d:082d:A5C1B2DF)"
    }
    #expect(throws: CameraProblem.missing(offered: [])) {
      _ = try CameraChoice(named: "v4l2:046d:082d:OTHER", among: [])
    }
  }

  @Test func `a node that is no camera says what it is`() {
    #expect(
      throws: CameraProblem.noCameraNode(
        "it delivers what accompanies a camera's pictures; the pictures are at another node of it")
    ) { _ = try named("/dev/video1") }
  }

  @Test func `a name that two cameras have is refused`() {
    let second = VideoNode(
      path: "/dev/video8", driver: "uvcvideo", card: "HD Pro Webcam C920", bus: "usb-1",
      usb: USBIdentity(vendor: 0x046d, product: 0x082d, serial: "B", port: "1-3"),
      capabilities: [.capture, .streaming], offers: CameraTable.webcam.offers)
    #expect(
      throws: CameraProblem.ambiguous([
        "/dev/video0 (HD Pro Webcam C920, 046d:082d:A5C1B2DF)",
        "/dev/video8 (HD Pro Webcam C920, 046d:082d:B)",
      ])
    ) { _ = try CameraChoice(named: "v4l2:c920", among: desk + [second]) }
    #expect(
      try! CameraChoice(named: "v4l2:046d:082d:B", among: desk + [second]).node.path
        == "/dev/video8")
  }

  private func best(_ nodes: [VideoNode]) throws(CameraProblem) -> String {
    let choice = try CameraChoice(bestOf: nodes, for: hd720)
    return "\(choice.node.path): \(choice.reason)"
  }

  @Test func `auto takes what can do what is wanted, and says why`() throws {
    #expect(try best([CameraTable.webcam]) == "/dev/video0: it is the only camera")
    #expect(
      try best(desk)
        == "/dev/video0: it is the first of 2 cameras that can do 1280x720 at 30 fps")
    #expect(
      try best([CameraTable.thermal, CameraTable.grabber])
        == "/dev/video4: it is the only camera that can do 1280x720 at 30 fps")
    #expect(
      try best([CameraTable.vivid, CameraTable.thermal])
        == "/dev/video6: it is the only camera that no program has to feed")
    #expect(
      try best([CameraTable.thermal, CameraTable.thermal])
        == "/dev/video6: it is the first of 2 cameras")
  }

  @Test func `without a camera auto says what there is instead`() {
    #expect(throws: CameraProblem.noCamera([])) { _ = try best([]) }
    #expect {
      _ = try best([CameraTable.raspberryPi4[0]])
    } throws: {
      "\($0)".hasPrefix("is not there: /dev/video0 (unicam) is none: it delivers what the bare ")
    }
  }

  @Test func `of twins without a serial number the one at the same port is taken, or none`() {
    func twin(_ path: String, port: String) -> VideoNode {
      VideoNode(
        path: path, driver: "uvcvideo", card: "UVC Camera", bus: "usb-0000:00:14.0-\(port)",
        usb: USBIdentity(vendor: 0x1bcf, product: 0x2c99, serial: "01.00.00", port: port),
        capabilities: [.capture, .streaming], offers: [])
    }
    let (ours, other) = (twin("/dev/video0", port: "1-1"), twin("/dev/video2", port: "1-2"))
    let known = KnownDevice(ours, beside: [ours.usb!, other.usb!])
    // After the hub was reset they have changed numbers.
    let swapped = [twin("/dev/video0", port: "1-2"), twin("/dev/video2", port: "1-1")]
    #expect(known.found(among: swapped).map(\.path) == ["/dev/video2"])
    #expect(known.found(among: [other]) == [])
    // Alone of its kind it may be plugged in anywhere; its own port comes first.
    let alone = KnownDevice(ours, beside: [ours.usb!])
    #expect(alone.found(among: [other, ours]).map(\.path) == ["/dev/video0", "/dev/video2"])
    #expect(alone.found(among: [other]).map(\.path) == ["/dev/video2"])
  }

  @Test func `a camera that comes back under another number is the same`() {
    func moved(_ node: VideoNode, _ path: String, bus: String, usb: USBIdentity?) -> VideoNode {
      VideoNode(
        path: path, driver: node.driver, card: node.card, bus: bus, usb: usb,
        capabilities: node.capabilities, index: node.index, offers: node.offers)
    }
    let webcam = CameraTable.webcam
    let elsewhere = USBIdentity(vendor: 0x046d, product: 0x082d, serial: "A5C1B2DF", port: "3-1")
    let another = USBIdentity(vendor: 0x046d, product: 0x082d, serial: "OTHER", port: "1-2")
    #expect(moved(webcam, "/dev/video2", bus: "usb-9", usb: elsewhere).isSame(as: webcam))
    #expect(!moved(webcam, "/dev/video0", bus: webcam.bus, usb: another).isSame(as: webcam))
    #expect(!CameraTable.webcamMetadata.isSame(as: webcam))
    let vivid = CameraTable.vivid
    #expect(moved(vivid, "/dev/video1", bus: vivid.bus, usb: nil).isSame(as: vivid))
    #expect(!moved(vivid, "/dev/video7", bus: "platform:2", usb: nil).isSame(as: vivid))
  }
}
