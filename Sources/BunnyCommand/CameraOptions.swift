import BunnyCapture

extension CameraSettings {
  /// What the options ask of the camera.
  init(_ arguments: Arguments) throws(CommandError) {
    self.init()
    if let text = arguments.value("--camera-format") { format = try Self.format(text) }
    if let text = arguments.value("--camera-size") { size = try Self.size(text) }
    if let text = arguments.value("--camera-fps") { framesPerSecond = try Self.rate(text) }
    passthrough = arguments.has("--passthrough")
    let ranges = Range.allCases.map(\.rawValue)
    range = Range(rawValue: try arguments.choice("--camera-range", ranges, or: range.rawValue))!
    if let text = arguments.value("--control") { controls = try Self.controls(text) }
  }

  private static func format(_ text: String) throws(CommandError) -> FourCC {
    guard let format = FourCC(named: text), format.cost != nil || format == "H264" else {
      throw CommandError(
        .usage, "--camera-format is \(text); it takes YUYV, UYVY, NV12, YU12, MJPG and the like")
    }
    return format
  }

  private static func size(_ text: String) throws(CommandError) -> PictureSize {
    let numbers = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
      .map { Int($0) ?? 0 }
    guard numbers.count == 2, numbers.allSatisfy({ (1...16384).contains($0) }) else {
      throw CommandError(.usage, "--camera-size is \(text); it takes pixels, such as 1280x720")
    }
    return PictureSize(width: numbers[0], height: numbers[1])
  }

  private static func rate(_ text: String) throws(CommandError) -> Double {
    guard let rate = Double(text), (0.1...1000).contains(rate) else {
      throw CommandError(
        .usage, "--camera-fps is \(text); it takes frames a second, such as 30 or 29.97")
    }
    return rate
  }

  private static func controls(_ text: String) throws(CommandError) -> [Control] {
    var controls: [Control] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty, let value = Int32(sides[1]) else {
        throw CommandError(
          .usage, "--control is \(text); it takes NAME=NUMBER, with commas between several")
      }
      controls.append(Control(name: String(sides[0]), value: value))
    }
    return controls
  }
}
