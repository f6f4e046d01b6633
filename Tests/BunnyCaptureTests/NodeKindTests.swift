import BunnyCapture
import Testing

@Suite struct NodeKindTests {
  @Test func `what delivers pictures is a camera`() {
    for node in [
      CameraTable.webcam, CameraTable.grabber, CameraTable.thermal, CameraTable.vivid,
      CameraTable.csiAdapter,
    ] {
      #expect(NodeKind(node) == .camera, "\(node.card)")
    }
  }

  @Test func `a webcam's other nodes are none`() {
    #expect(NodeKind(CameraTable.webcamMetadata) == .metadata)
    #expect(NodeKind(CameraTable.webcamH264) == .otherFormats(["H264"]))
  }

  @Test func `none of a Raspberry Pi's dozen nodes is a camera`() {
    #expect(
      CameraTable.raspberryPi4.map { NodeKind($0).word }
        == ["bare sensor", "metadata"] + Array(repeating: "codec", count: 5)
        + ["image processor", "image processor"])
    #expect(NodeKind(CameraTable.raspberryPi4[0]) == .bareSensor(["pRAA", "RG10"]))
    #expect(NodeKind(CameraTable.raspberryPi5Raw).word == "bare sensor")
    #expect(!NodeKind(CameraTable.raspberryPi5).isCamera)
  }

  @Test func `a loopback is a camera once a program feeds it`() {
    func loopback(_ capabilities: VideoNode.Capabilities, _ offers: [CameraOffer]) -> VideoNode {
      VideoNode(
        path: "/dev/video9", driver: "v4l2 loopback", card: "Dummy", bus: "platform:v4l2loopback",
        capabilities: capabilities, offers: offers)
    }
    let jpeg = [CameraOffer("MJPG", [CameraSizes(640, 360, .unknown)])]
    #expect(NodeKind(loopback([.output, .streaming], [])) == .nothingConnected)
    #expect(NodeKind(loopback([.capture, .output, .streaming], jpeg)) == .camera)
    #expect(NodeKind(loopback([.capture, .streaming], jpeg)) == .camera)
    #expect(
      NodeKind(loopback([.capture, .output, .memoryToMemory, .streaming], jpeg)) == .camera)
  }

  @Test func `outputs and radios are none, and one in planes is one where its frames lie in one`() {
    func node(_ capabilities: VideoNode.Capabilities, in format: FourCC = "NV12") -> VideoNode {
      VideoNode(
        path: "/dev/video3", driver: "d", card: "c", bus: "b", capabilities: capabilities,
        offers: [CameraOffer(format, [CameraSizes(640, 480, .unknown)])])
    }
    #expect(NodeKind(node([.output, .streaming])) == .output)
    #expect(NodeKind(node([.streaming])) == .noPicture)
    #expect(NodeKind(node([.captureInPlanes, .streaming])) == .camera)
    #expect(
      NodeKind(node([.captureInPlanes, .streaming], in: "NM12")) == .otherFormats(["NM12"]))
  }

  @Test func `each says what to do`() {
    let sensor = NodeKind(CameraTable.raspberryPi4[0]).advice(for: "/dev/video0")
    #expect(
      sensor == "it delivers what the bare sensor sees, which another program has to develop; run "
        + "`mkfifo /run/camera`, then `rpicam-vid -t 0 --inline --flush -o /run/camera`, and give "
        + "--video pipe:/run/camera")
    #expect(
      NodeKind(CameraTable.webcamH264).advice(for: "/dev/video2")
        == "it delivers only H264; give --passthrough, or try --video av:v4l2:/dev/video2")
  }

  @Test func `formats are read as people write them`() {
    #expect(FourCC(named: "mjpeg") == "MJPG" && FourCC(named: "yuyv") == "YUYV")
    #expect(FourCC(named: "i420") == "YU12" && FourCC(named: "y16") == "Y16")
    #expect(FourCC(named: "Y16")?.description == "Y16")
    #expect(FourCC(named: "x") == nil && FourCC(named: "verylong") == nil)
    for format: FourCC in ["BA81", "pRAA", "pgAA", "BG10", "RG12", "GR16", "BYR2", "aBA8"] {
      #expect(format.isBayer && format.cost == nil, "\(format)")
    }
    for format: FourCC in ["BA24", "BGR3", "RGB3", "GREY", "NV12"] {
      #expect(!format.isBayer && format.cost != nil, "\(format)")
    }
    #expect(FourCC("BGR3").isRGB && FourCC("XR24").isRGB)
    #expect(!FourCC("YUYV").isRGB && !FourCC("GREY").isRGB && !FourCC("MJPG").isRGB)
  }
}
