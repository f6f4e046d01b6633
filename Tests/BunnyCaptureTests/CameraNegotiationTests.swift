import BunnyCapture
import BunnyMedia
import Testing

@Suite struct CameraNegotiationTests {
  private let hd720 = WantedPicture(width: 1280, height: 720, framesPerSecond: 30)
  private let hd1080 = WantedPicture(width: 1920, height: 1080, framesPerSecond: 30)
  private let sd480 = WantedPicture(width: 854, height: 480, framesPerSecond: 30)

  private func negotiate(
    _ node: VideoNode, _ wanted: WantedPicture, _ change: (inout CameraSettings) -> Void = { _ in }
  ) throws(CameraProblem) -> CameraNegotiation {
    var settings = CameraSettings()
    change(&settings)
    return try CameraNegotiation(node.usableOffers, wanted: wanted, settings: settings)
  }

  private func words(_ negotiation: CameraNegotiation) -> String {
    "\(negotiation.modes[0]): \(negotiation.reason)"
  }

  @Test func `a camera's own H.264 is taken only to be passed on, and where it has what is wanted`()
    throws
  {
    var node = CameraTable.webcamH264
    #expect(node.usableOffers.isEmpty && !NodeKind(node).isCamera)
    node.capturesCoded = true
    #expect(NodeKind(node) == .camera)
    #expect(
      words(try negotiate(node, hd1080) { $0.passthrough = true })
        == "1920x1080 H264 at 30 fps: as wanted")
    let both = VideoNode(
      path: node.path, driver: node.driver, card: node.card, bus: node.bus,
      capabilities: node.capabilities, offers: CameraTable.webcam.offers + node.offers)
    var coded = both
    coded.capturesCoded = true
    for (wanted, format) in [(hd1080, FourCC("H264")), (hd720, "MJPG")] {
      let modes = try negotiate(coded, wanted) { $0.passthrough = true }.modes
      #expect(modes[0].format == format, "\(modes[0])")
    }
    #expect(try negotiate(both, hd1080).modes.allSatisfy { $0.format != "H264" })
  }

  @Test func `a webcam gives Motion-JPEG where USB is too slow for more`() throws {
    #expect(
      words(try negotiate(CameraTable.webcam, hd720))
        == "1280x720 MJPG at 30 fps: as wanted; YUYV reaches only 640x480 at 30 fps")
    #expect(
      words(try negotiate(CameraTable.cheapGrabber, hd1080))
        == "1920x1080 MJPG at 30 fps: as wanted; YUYV reaches only 640x480 at 30 fps")
  }

  @Test func `what costs less is taken where size and rate are equal`() throws {
    let vga = WantedPicture(width: 640, height: 360, framesPerSecond: 30)
    #expect(words(try negotiate(CameraTable.webcam, vga)) == "640x360 YUYV at 30 fps: as wanted")
    #expect(
      words(try negotiate(CameraTable.grabber, hd1080)) == "1920x1080 NV12 at 30 fps: as wanted")
  }

  @Test func `no more pixels and frames than are needed`() throws {
    let mode = try negotiate(CameraTable.webcam, sd480).modes[0]
    #expect(mode == CameraMode("MJPG", 1280, 720, Timebase(30, 1)))
    #expect(
      words(try negotiate(CameraTable.grabber, hd720))
        == "1280x720 NV12 at 50 fps: enough for 1280x720 at 30 fps")
    let p60 = WantedPicture(width: 1920, height: 1080, framesPerSecond: 60)
    #expect(
      words(try negotiate(CameraTable.grabber, p60)) == "1920x1080 NV12 at 59.94 fps: as wanted")
  }

  @Test func `a smaller picture at full speed goes before a slide show`() throws {
    let mode = try negotiate(CameraTable.webcam, hd720) { $0.format = "YUYV" }.modes[0]
    #expect(mode == CameraMode("YUYV", 640, 480, Timebase(30, 1)))
  }

  @Test func `a thermal camera gives the nearest to what is wanted`() throws {
    #expect(
      words(try negotiate(CameraTable.thermal, hd720))
        == "160x120 UYVY at 9 fps: of what it offers, the nearest to 1280x720 at 30 fps")
  }

  @Test func `a driver that tells no rate is taken at its size`() throws {
    #expect(words(try negotiate(CameraTable.csiAdapter, hd1080)) == "1920x1080 UYVY: as wanted")
  }

  @Test func `from a range of sizes and rates comes what is wanted, on its steps`() throws {
    let ranges = [
      CameraOffer(
        "NV12",
        [
          CameraSizes(
            width: 32...1920, height: 32...1080, widthStep: 16, heightStep: 8, .range(1...60))
        ])
    ]
    let negotiation = try CameraNegotiation(ranges, wanted: sd480)
    #expect(negotiation.modes == [CameraMode("NV12", 864, 480, Timebase(30, 1))])
    let large = WantedPicture(width: 3840, height: 2160, framesPerSecond: 90)
    #expect(
      try CameraNegotiation(ranges, wanted: large).modes
        == [CameraMode("NV12", 1920, 1080, Timebase(60, 1))])
  }

  @Test func `options override, and what cannot be is answered with what can`() throws {
    let chosen = try negotiate(CameraTable.webcam, hd720) {
      $0.size = PictureSize(width: 1920, height: 1080)
      $0.framesPerSecond = 15
    }
    #expect(chosen.modes[0] == CameraMode("MJPG", 1920, 1080, Timebase(15, 1)))
    #expect(
      throws: CameraProblem.modeNotOffered(asked: "NV12", offered: "YUYV, MJPG")
    ) { _ = try negotiate(CameraTable.webcam, hd720) { $0.format = "NV12" } }
    #expect(
      throws: CameraProblem.modeNotOffered(
        asked: "800x600 YUYV", offered: "640x480, 160x90, 640x360, 1280x720, 1920x1080")
    ) {
      _ = try negotiate(CameraTable.webcam, hd720) {
        $0.format = "YUYV"
        $0.size = PictureSize(width: 800, height: 600)
      }
    }
    let error = CameraProblem.modeNotOffered(asked: "1280x720 YUYV at 30 fps", offered: "10, 5 fps")
    #expect(throws: error) {
      _ = try negotiate(CameraTable.webcam, hd720) {
        $0.format = "YUYV"
        $0.size = PictureSize(width: 1280, height: 720)
        $0.framesPerSecond = 30
      }
    }
    #expect(
      "\(SourceError.camera("/dev/video0", error))"
        == "/dev/video0 cannot do 1280x720 YUYV at 30 fps; it offers 10, 5 fps")
  }

  @Test func `where the bus has no room the next best that needs less is tried`() throws {
    let negotiation = try negotiate(CameraTable.grabber, hd1080)
    var tried = [negotiation.modes[0]]
    while let lower = negotiation.next(
      after: tried[tried.count - 1], refusedFor: .noRoom(tried: ""))
    { tried.append(lower) }
    #expect(tried.map(\.description) == ["1920x1080 NV12 at 30 fps", "1280x720 NV12 at 50 fps"])
  }

  @Test func `a camera that hangs sideways gives the mode of which most is seen`() throws {
    let quarter = PictureTurn(.quarter)
    let lying = WantedPicture(
      width: 1280, height: 720, framesPerSecond: 30, turn: quarter, fill: .letterbox)
    // 640x480 is shown as 540x720, 1280x720 and what is larger as 405x720.
    #expect(
      words(try negotiate(CameraTable.webcam, lying))
        == "640x480 YUYV at 30 fps: of what it offers, the nearest to 720x1280 at 30 fps before it "
        + "is turned")
    let cropped = WantedPicture(
      width: 1280, height: 720, framesPerSecond: 30, turn: quarter, fill: .crop)
    let mode = try negotiate(CameraTable.webcam, cropped).modes[0]
    #expect(mode == CameraMode("MJPG", 1920, 1080, Timebase(30, 1)))
  }

  @Test func `a portrait broadcast of a camera on its side has all that it wants`() throws {
    let portrait = WantedPicture(
      width: 720, height: 1280, framesPerSecond: 30, turn: PictureTurn(.threeQuarters),
      fill: .letterbox)
    #expect(
      words(try negotiate(CameraTable.webcam, portrait))
        == "1280x720 MJPG at 30 fps: as wanted; YUYV reaches only 640x480 at 30 fps")
  }

  @Test func `upside down and mirrored change nothing`() throws {
    let turned = WantedPicture(
      width: 1280, height: 720, framesPerSecond: 30, turn: PictureTurn(.half, isMirrored: true),
      fill: .letterbox)
    #expect(turned == hd720)
  }
}
