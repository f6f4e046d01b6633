import BunnyCapture
import BunnyCommand
import Testing

@Suite struct CameraOptionsTests {
  private func camera(_ arguments: String...) throws -> CameraSettings {
    let to = ["publish", "--to", "rtmp://host/app/key"]
    guard case .publish(let options) = try Invocation(to + arguments) else {
      throw CommandError(.usage, "no publish")
    }
    return options.camera
  }

  @Test func `a camera's options are read`() throws {
    var expected = CameraSettings()
    #expect(try camera() == expected)
    expected.format = FourCC(named: "MJPG")
    expected.size = PictureSize(width: 1280, height: 720)
    expected.framesPerSecond = 29.97
    expected.range = .full
    expected.passthrough = true
    expected.controls = [
      .init(name: "exposure_dynamic_framerate", value: 0), .init(name: "brightness", value: -10),
    ]
    #expect(
      try camera(
        "--camera-format", "mjpeg", "--camera-size", "1280x720", "--camera-fps", "29.97",
        "--camera-range", "full", "--passthrough", "--control",
        "exposure_dynamic_framerate=0,brightness=-10")
        == expected)
  }

  @Test(arguments: [
    ("--camera-format", "nosuch", "it takes YUYV, UYVY, NV12, YU12, MJPG and the like"),
    ("--camera-format", "RG10", "it takes YUYV, UYVY, NV12, YU12, MJPG and the like"),
    ("--camera-size", "1280", "it takes pixels, such as 1280x720"),
    ("--camera-size", "0x720", "it takes pixels, such as 1280x720"),
    ("--camera-fps", "fast", "it takes frames a second, such as 30 or 29.97"),
    ("--camera-range", "tv", "it takes auto, limited or full"),
    ("--control", "brightness", "it takes NAME=NUMBER, with commas between several"),
    ("--control", "brightness=1,", "it takes NAME=NUMBER, with commas between several"),
  ])
  func `what cannot be is a usage error that says what can`(
    _ option: String, _ value: String, _ takes: String
  ) {
    #expect(throws: CommandError(.usage, "\(option) is \(value); \(takes)")) {
      try camera(option, value)
    }
  }
}
