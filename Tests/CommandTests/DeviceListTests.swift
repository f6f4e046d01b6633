import BunnyBroadcast
import BunnyCapture
import BunnyCommand
import BunnyMedia
import Testing

@Suite struct DeviceListTests {
  private static let usb = USBIdentity(
    vendor: 0x046d, product: 0x082d, serial: "A5C1B2DF", port: "1-2")
  private static let webcam = VideoNode(
    path: "/dev/video0", driver: "uvcvideo", card: "HD Pro Webcam C920",
    bus: "usb-0000:00:14.0-2", usb: usb, links: ["/dev/v4l/by-id/usb-C920-video-index0"],
    capabilities: [.capture, .streaming],
    offers: [
      CameraOffer(
        "YUYV", words: "YUYV 4:2:2",
        [
          CameraSizes(640, 480, .these([Timebase(30, 1), Timebase(15, 2)])),
          CameraSizes(1280, 720, .these([Timebase(10, 1)])),
        ]),
      CameraOffer(
        "H264", words: "H.264",
        [CameraSizes(width: 32...1920, height: 32...1080, widthStep: 16, .range(1...30))]),
    ])
  private static let metadata = VideoNode(
    path: "/dev/video1", driver: "uvcvideo", card: "HD Pro Webcam C920", bus: "usb-0000:00:14.0-2",
    usb: usb, capabilities: [.metadata, .streaming], index: 1, offers: [])

  @Test func `the table shows cameras, what auto takes, and what is no camera`() {
    let table = """
      Cameras
        /dev/video0  HD Pro Webcam C920, 046d:082d:A5C1B2DF, usb-0000:00:14.0-2
          YUYV  640x480     at 30, 7.5 fps
                1280x720    at 10 fps
          H264  32x32 to 1920x1080 at 1 to 30 fps  (not captured)

      auto takes
        /dev/video0: it is the only camera

      No cameras
        /dev/video1   HD Pro Webcam C920: metadata; it delivers what accompanies a camera's \
      pictures; the pictures are at another node of it

      """
    #expect(DeviceList([Self.webcam, Self.metadata]).text == table)
  }

  @Test func `a machine without a camera says so`() {
    let table = """
      Cameras
        none

      auto takes
        nothing: there is no camera

      """
    #expect(DeviceList([]).text == table)
  }

  @Test func `programs get the same as JSON`() throws {
    let json = DeviceList([Self.webcam, Self.metadata]).json
    #expect(
      json.contains(
        """
              "path": "/dev/video0",
              "card": "HD Pro Webcam C920",
              "driver": "uvcvideo",
              "bus": "usb-0000:00:14.0-2",
              "usb": {
                "model": "046d:082d",
                "serial": "A5C1B2DF",
                "port": "1-2"
              },
        """))
    #expect(json.contains(#""minWidth": 32"#) && json.contains(#""maxRate": 30"#))
    #expect(json.contains(#""camera": "/dev/video0""#) && json.contains(#""kind": "metadata""#))
    #expect(DeviceList([]).json.contains(#""camera": null"#))
  }
}
