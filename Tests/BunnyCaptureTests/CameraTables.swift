import BunnyCapture
import BunnyMedia

/// What real devices say of themselves, from `v4l2-ctl --all --list-formats-ext`.
enum CameraTable {
  static func rates(_ rates: Int32...) -> CameraRates { .these(rates.map { Timebase($0, 1) }) }

  /// A webcam on USB 2: raw up to VGA at full speed, Motion-JPEG above.
  static let webcam = VideoNode(
    path: "/dev/video0", driver: "uvcvideo", card: "HD Pro Webcam C920",
    bus: "usb-0000:00:14.0-2",
    usb: USBIdentity(vendor: 0x046d, product: 0x082d, serial: "A5C1B2DF", port: "1-2"),
    links: ["/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920_A5C1B2DF-video-index0"],
    capabilities: [.capture, .streaming],
    offers: [
      CameraOffer(
        "YUYV", words: "YUYV 4:2:2",
        [
          CameraSizes(640, 480, rates(30, 24, 20, 15, 10, 5)),
          CameraSizes(160, 90, rates(30)), CameraSizes(640, 360, rates(30, 15)),
          CameraSizes(1280, 720, rates(10, 5)), CameraSizes(1920, 1080, rates(5)),
        ]),
      CameraOffer(
        "MJPG", words: "Motion-JPEG",
        [
          CameraSizes(640, 480, rates(30, 24, 20, 15, 10, 5)),
          CameraSizes(640, 360, rates(30, 15)),
          CameraSizes(1280, 720, rates(30, 24, 20, 15, 10, 5)),
          CameraSizes(1920, 1080, rates(30, 24, 20, 15, 10, 5)),
        ]),
    ])

  static let webcamMetadata = VideoNode(
    path: "/dev/video1", driver: "uvcvideo", card: "HD Pro Webcam C920",
    bus: "usb-0000:00:14.0-2", usb: webcam.usb, capabilities: [.metadata, .streaming], index: 1,
    offers: [])

  /// The C920's H.264 on a node of its own.
  static let webcamH264 = VideoNode(
    path: "/dev/video2", driver: "uvcvideo", card: "HD Pro Webcam C920",
    bus: "usb-0000:00:14.0-2", usb: webcam.usb, capabilities: [.capture, .streaming], index: 2,
    offers: [CameraOffer("H264", [CameraSizes(1920, 1080, rates(30))])])

  /// An HDMI grabber on USB 3: raw up to 1080p60.
  static let grabber = VideoNode(
    path: "/dev/video4", driver: "uvcvideo", card: "Cam Link 4K: Cam Link 4K",
    bus: "usb-0000:00:14.0-4",
    usb: USBIdentity(vendor: 0x0fd9, product: 0x0066, serial: "0005264B0D000", port: "2-4"),
    capabilities: [.capture, .streaming],
    offers: ["YUYV", "NV12", "YU12"].map {
      CameraOffer(
        $0,
        [
          CameraSizes(3840, 2160, rates(25)),
          CameraSizes(1920, 1080, .these([Timebase(60000, 1001), Timebase(30, 1)])),
          CameraSizes(1280, 720, rates(60, 50)),
        ])
    })

  /// A cheap grabber that promises raw 1080p at 5 fps and Motion-JPEG at 60.
  static let cheapGrabber = VideoNode(
    path: "/dev/video5", driver: "uvcvideo", card: "USB Video: USB Video",
    bus: "usb-0000:01:00.0-1.3",
    usb: USBIdentity(vendor: 0x534d, product: 0x2109, port: "1-1.3"),
    capabilities: [.capture, .streaming],
    offers: [
      CameraOffer(
        "MJPG",
        [
          CameraSizes(1920, 1080, rates(60, 50, 30, 25)),
          CameraSizes(1280, 720, rates(60, 50, 30)),
        ]),
      CameraOffer(
        "YUYV",
        [
          CameraSizes(1920, 1080, rates(5)), CameraSizes(1280, 720, rates(10)),
          CameraSizes(640, 480, rates(30, 20)),
        ]),
    ])

  /// A thermal camera: brightness and 16-bit temperatures at nine frames a second.
  static let thermal = VideoNode(
    path: "/dev/video6", driver: "uvcvideo", card: "PureThermal (fw:v1.3.0)",
    bus: "usb-0000:00:14.0-1",
    usb: USBIdentity(vendor: 0x1e4e, product: 0x0100, port: "1-1"),
    capabilities: [.capture, .streaming],
    offers: [
      CameraOffer("UYVY", [CameraSizes(160, 120, rates(9))]),
      CameraOffer("Y16", [CameraSizes(160, 120, rates(9)), CameraSizes(160, 122, rates(9))]),
      CameraOffer("GREY", [CameraSizes(160, 120, rates(9))]),
      CameraOffer("RGBP", [CameraSizes(160, 120, rates(9))]),
      CameraOffer("BGR3", [CameraSizes(160, 120, rates(9))]),
    ])

  static let vivid = VideoNode(
    path: "/dev/video7", driver: "vivid", card: "vivid", bus: "platform:vivid-000",
    capabilities: [.capture, .streaming],
    offers: [
      CameraOffer("YUYV", [CameraSizes(1280, 720, rates(30))])
    ])

  /// A Raspberry Pi 4 with a camera module: not one node can be captured as it is.
  static let raspberryPi4: [VideoNode] =
    [
      VideoNode(
        path: "/dev/video0", driver: "unicam", card: "unicam", bus: "platform:fe801000.csi",
        capabilities: [.capture, .streaming],
        offers: [
          CameraOffer("pRAA", [CameraSizes(3280, 2464, .unknown)]),
          CameraOffer("RG10", [CameraSizes(3280, 2464, .unknown)]),
        ]),
      VideoNode(
        path: "/dev/video1", driver: "unicam", card: "unicam", bus: "platform:fe801000.csi",
        capabilities: [.metadata, .streaming], offers: []),
    ]
    + [10, 11, 12, 18, 31].map {
      VideoNode(
        path: "/dev/video\($0)", driver: "bcm2835-codec", card: "bcm2835-codec-decode",
        bus: "platform:bcm2835-codec", capabilities: [.memoryToMemoryInPlanes, .streaming],
        offers: [CameraOffer("YU12", [CameraSizes(1920, 1080, .unknown)])])
    }
    + [
      VideoNode(
        path: "/dev/video13", driver: "bcm2835-isp", card: "bcm2835-isp",
        bus: "platform:bcm2835-isp", capabilities: [.output, .streaming], offers: []),
      VideoNode(
        path: "/dev/video14", driver: "bcm2835-isp", card: "bcm2835-isp",
        bus: "platform:bcm2835-isp", capabilities: [.capture, .streaming],
        offers: [
          CameraOffer(
            "YU12",
            [CameraSizes(width: 32...16384, height: 32...16384, widthStep: 2, .unknown)])
        ]),
    ]

  /// A Raspberry Pi 5's camera node: set up through the media controller, and it claims every format.
  static let raspberryPi5 = VideoNode(
    path: "/dev/video0", driver: "rp1-cfe", card: "rp1-cfe", bus: "platform:1f00110000.csi",
    capabilities: [.capture, .metadata, .streaming, .mediaController],
    offers: [
      CameraOffer("YUYV", [CameraSizes(640, 480, .unknown)]),
      CameraOffer("pRAA", [CameraSizes(640, 480, .unknown)]),
    ])

  /// Another one of its nodes.
  static let raspberryPi5Raw = VideoNode(
    path: "/dev/video4", driver: "rp1-cfe", card: "rp1-cfe", bus: "platform:1f00110000.csi",
    capabilities: [.capture, .streaming, .mediaController],
    offers: raspberryPi5.offers)

  /// An HDMI adapter on a Pi's camera port: it delivers UYVY, though through unicam.
  static let csiAdapter = VideoNode(
    path: "/dev/video0", driver: "unicam", card: "unicam", bus: "platform:fe801000.csi",
    capabilities: [.capture, .streaming],
    offers: [
      CameraOffer("UYVY", [CameraSizes(1920, 1080, .unknown)]),
      CameraOffer("BGR3", [CameraSizes(1920, 1080, .unknown)]),
    ])
}
