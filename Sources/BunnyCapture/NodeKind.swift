/// What a `/dev/video` node is: many are no cameras.
public enum NodeKind: Equatable, Sendable {
  case camera
  /// What accompanies another node's pictures.
  case metadata
  /// Codes, decodes or converts pictures that a program gives it.
  case codec
  /// Part of a processor of pictures, to be fed by a program.
  case imageProcessor
  /// Takes pictures instead of delivering them.
  case output
  /// A sensor whose raw pictures another program has to develop, in these formats.
  case bareSensor([FourCC])
  /// A camera that delivers only these formats, which cannot be captured.
  case otherFormats([FourCC])
  /// It offers no format at all: nothing is plugged into it, or nothing fed to it.
  case nothingConnected
  /// A radio, a teletext decoder, a touch pad.
  case noPicture
  /// It may be one, and cannot be opened.
  case closed(CameraProblem)
}

extension NodeKind {
  package init(_ node: VideoNode) {
    let capabilities = node.capabilities
    let formats = node.offers.map(\.format)
    let isLoopback = node.driver == "v4l2 loopback"  // both ends of it are one node
    if let problem = node.problem {
      self = .closed(problem)
    } else if Self.imageProcessors.contains(where: node.driver.hasPrefix) {
      self = .imageProcessor
    } else if capabilities.contains(.metadata) {
      self = .metadata
    } else if !isLoopback && !capabilities.isDisjoint(with: .memoryToMemoryOfAnyKind) {
      self = .codec
    } else if !capabilities.isDisjoint(with: [.capture, .captureInPlanes]) {
      self = Self.capturing(node, formats)
    } else if !capabilities.isDisjoint(with: [.output, .outputInPlanes]) {
      self = isLoopback ? .nothingConnected : .output
    } else {
      self = .noPicture
    }
  }

  /// What a node is that delivers pictures.
  private static func capturing(_ node: VideoNode, _ formats: [FourCC]) -> NodeKind {
    let isSensor = !formats.isEmpty && formats.allSatisfy(\.isBayer)
    if isSensor || node.capabilities.contains(.mediaController) || node.driver == "rp1-cfe" {
      return .bareSensor(formats.filter(\.isBayer))
    }
    if formats.isEmpty { return .nothingConnected }
    return node.usableOffers.isEmpty || !node.capabilities.contains(.streaming)
      ? .otherFormats(formats) : .camera
  }

  /// Drivers of processors whose nodes claim to be cameras.
  private static let imageProcessors = ["bcm2835-isp", "pispbe"]

  public var isCamera: Bool { self == .camera }

  /// One word or two for it.
  public var word: String {
    switch self {
    case .camera: "camera"
    case .metadata: "metadata"
    case .codec: "codec"
    case .imageProcessor: "image processor"
    case .output: "output"
    case .bareSensor: "bare sensor"
    case .otherFormats: "other formats"
    case .nothingConnected: "nothing connected"
    case .noPicture: "no picture"
    case .closed: "cannot be opened"
    }
  }

  /// What it does instead of delivering pictures, and what to do: "it …; …".
  ///
  /// - Parameter path: the node's.
  package func advice(for path: String) -> String {
    switch self {
    case .camera: "it is a camera"
    case .metadata:
      "it delivers what accompanies a camera's pictures; the pictures are at another node of it"
    case .codec:
      "it codes, decodes or converts pictures that a program gives it; choose a camera"
    case .imageProcessor:
      "it is a part of the image processor, to be fed by a program; choose a camera"
    case .output: "it takes pictures instead of delivering them; choose a camera"
    case .bareSensor:
      "it delivers what the bare sensor sees, which another program has to develop; run "
        + "`mkfifo /run/camera`, then `rpicam-vid -t 0 --inline --flush -o /run/camera`, and give "
        + "--video pipe:/run/camera"
    case .otherFormats(let formats):
      "it delivers only \(formats.map(\.description).joined(separator: ", ")); "
        + (formats.contains("H264") ? "give --passthrough, or " : "")
        + "try --video av:v4l2:\(path)"
    case .nothingConnected:
      "it offers no format; check what is plugged into it, or the program that feeds it"
    case .closed(let problem): "it \(problem)"
    case .noPicture: "it delivers no picture; choose a camera"
    }
  }
}
