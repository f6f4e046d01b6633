import BunnyBroadcast
package import BunnyCapture

/// What `devices` prints.
package struct DeviceList {
  private let cameras: [VideoNode]
  private let others: [VideoNode]
  private let automatic: Result<CameraChoice, CameraProblem>
  private let microphones: MicrophoneList

  /// - Parameters:
  ///   - nodes: every `/dev/video` node.
  ///   - microphones: every one.
  package init(
    _ nodes: [VideoNode], _ microphones: [Microphone] = [],
    for wanted: WantedPicture = DeviceList.wanted
  ) {
    cameras = nodes.filter { NodeKind($0).isCamera }
    others = nodes.filter { !NodeKind($0).isCamera }
    do throws(CameraProblem) {
      automatic = .success(try CameraChoice(bestOf: nodes, for: wanted))
    } catch { automatic = .failure(error) }
    self.microphones = MicrophoneList(microphones, camera: try? automatic.get().node.usb)
  }

  static func now() -> DeviceList { DeviceList(VideoNode.all(), Microphones.all()) }

  /// What `auto` looks for where no `--quality` is given.
  package static var wanted: WantedPicture {
    let quality = BroadcastQuality.default
    return WantedPicture(
      width: quality.resolution.width, height: quality.resolution.height,
      framesPerSecond: quality.frameRate)
  }

  /// For people.
  package var text: String {
    let sections = [
      section("Cameras", cameras.isEmpty ? ["none"] : cameras.flatMap(lines)),
      section("Microphones", microphones.lines),
      section("auto takes", [choiceWords, microphones.choiceWords]),
      others.isEmpty ? nil : section("No cameras", others.map(otherLine)),
    ]
    return sections.compactMap { $0 }.joined(separator: "\n")
  }

  private var choiceWords: String {
    switch automatic {
    case .success(let choice): "\(choice.node.path): \(choice.reason)"
    case .failure(.noCamera): "nothing: there is no camera"
    case .failure(let problem): "nothing: the camera \(problem)"
    }
  }

  private func section(_ title: String, _ lines: [String]) -> String {
    "\(title)\n" + lines.map { "  \($0)\n" }.joined()
  }

  private func lines(_ node: VideoNode) -> [String] {
    let names = [node.card, node.usb?.name, node.bus].compactMap { $0 }
    let head = "\(node.path)  \(names.joined(separator: ", "))"
    return [head] + node.offers.flatMap(lines)
  }

  private func lines(_ offer: CameraOffer) -> [String] {
    offer.sizes.enumerated().map { index, sizes in
      let format = index == 0 ? "\(offer.format)" : ""
      return "  " + padded(format, 6) + padded("\(sizes)", 11) + " at \(sizes.rates) fps"
        + (index == 0 && offer.format.cost == nil ? "  (\(use(of: offer.format)))" : "")
    }
  }

  /// Of a format that is not captured.
  private func use(of format: FourCC) -> String {
    format == "H264" ? "only with --passthrough" : "not captured"
  }

  private func otherLine(_ node: VideoNode) -> String {
    let kind = NodeKind(node)
    return "\(padded(node.path, 13)) \(node.card): \(kind.word); \(kind.advice(for: node.path))"
  }
}

extension DeviceList {
  /// One object, on several lines.
  package var json: String {
    JSONValue.object([
      .init("cameras", .array(cameras.map(json))),
      .init("microphones", .array(microphones.json)),
      .init("auto", .object(choice + microphones.choice)),
      .init("others", .array(others.map(other))),
    ]).page() + "\n"
  }

  private var choice: [JSONValue.Member] {
    guard case .success(let choice) = automatic else {
      return [.init("camera", .null), .init("reason", .string(choiceWords))]
    }
    return [.init("camera", .string(choice.node.path)), .init("reason", .string(choice.reason))]
  }

  private func json(_ node: VideoNode) -> JSONValue {
    .object(
      identity(node) + [
        .init("links", .array(node.links.map { .string($0) })),
        .init("formats", .array(node.offers.map(json))),
      ])
  }

  private func identity(_ node: VideoNode) -> [JSONValue.Member] {
    [
      .init("path", .string(node.path)), .init("card", .string(node.card)),
      .init("driver", .string(node.driver)), .init("bus", .string(node.bus)),
      .init("usb", node.usb?.json ?? .null),
    ]
  }

  private func json(_ offer: CameraOffer) -> JSONValue {
    .object([
      .init("format", .string("\(offer.format)")), .init("words", .string(offer.words)),
      .init("isCaptured", .bool(offer.format.cost != nil)),
      .init("sizes", .array(offer.sizes.map(json))),
    ])
  }

  private func json(_ sizes: CameraSizes) -> JSONValue {
    let rates: [JSONValue.Member] =
      switch sizes.rates {
      case .unknown: [.init("rates", .array([]))]
      case .these(let rates):
        [.init("rates", .array(rates.map { .number(Double($0.decimal) ?? 0) }))]
      case .range(let range):
        [.init("minRate", .number(range.lowerBound)), .init("maxRate", .number(range.upperBound))]
      }
    guard sizes.width.count > 1 || sizes.height.count > 1 else {
      return .object(
        [
          .init("width", .integer(sizes.width.lowerBound)),
          .init("height", .integer(sizes.height.lowerBound)),
        ] + rates)
    }
    return .object(
      [
        .init("minWidth", .integer(sizes.width.lowerBound)),
        .init("maxWidth", .integer(sizes.width.upperBound)),
        .init("widthStep", .integer(sizes.widthStep)),
        .init("minHeight", .integer(sizes.height.lowerBound)),
        .init("maxHeight", .integer(sizes.height.upperBound)),
        .init("heightStep", .integer(sizes.heightStep)),
      ] + rates)
  }

  private func other(_ node: VideoNode) -> JSONValue {
    let kind = NodeKind(node)
    return .object(
      identity(node) + [
        .init("kind", .string(kind.word)), .init("reason", .string(kind.advice(for: node.path))),
      ])
  }
}
