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

  private static let microphones: [Microphone] = {
    var own = Microphone(card: 1, device: 0, id: "C920", name: "HD Pro Webcam C920", usb: usb)
    own.rates = [16_000, 32_000]
    own.channels = [2]
    own.formats = ["S16_LE"]
    var held = Microphone(card: 0, device: 0, id: "PCH", name: "HDA Intel")
    held.heldBy = "pulseaudio (process 812)"
    return [held, own]
  }()

  @Test func `the table shows cameras, microphones, what auto takes, and what is no camera`() {
    let table = """
      Cameras
        /dev/video0  HD Pro Webcam C920, 046d:082d:A5C1B2DF, usb-0000:00:14.0-2
          YUYV  640x480     at 30, 7.5 fps
                1280x720    at 10 fps
          H264  32x32 to 1920x1080 at 1 to 30 fps  (only with --passthrough)

      Microphones
        alsa:hw:0,0  HDA Intel, PCH
          held by pulseaudio (process 812)
        alsa:hw:1,0  HD Pro Webcam C920, C920, 046d:082d:A5C1B2DF
          16000, 32000 Hz
          2 channels
          S16_LE

      auto takes
        /dev/video0: it is the only camera
        alsa:hw:1,0: it is the camera's own

      No cameras
        /dev/video1   HD Pro Webcam C920: metadata; it delivers what accompanies a camera's \
      pictures; the pictures are at another node of it

      """
    #expect(DeviceList([Self.webcam, Self.metadata], Self.microphones).text == table)
  }

  @Test func `a machine without a camera says so`() {
    let table = """
      Cameras
        none

      Microphones
        none

      auto takes
        nothing: there is no camera
        silence: no microphone is plugged in

      """
    #expect(DeviceList([]).text == table)
  }

  @Test func `programs get the same as JSON`() throws {
    let json = DeviceList([Self.webcam, Self.metadata], Self.microphones).json
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
    #expect(json.contains(#""microphone": "alsa:hw:1,0""#) && json.contains(#""S16_LE""#))
    #expect(json.contains(#""heldBy": "pulseaudio (process 812)""#))
    #expect(DeviceList([]).json.contains(#""microphone": null"#))
  }
}
