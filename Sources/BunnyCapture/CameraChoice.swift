import BunnyMedia

/// Which camera is meant, and why. Asks no device.
package struct CameraChoice: Equatable, Sendable {
  package let node: VideoNode
  /// In words that follow its path.
  package let reason: String

  /// The camera called `name`.
  ///
  /// - Parameters:
  ///   - name: a path, or `v4l2:` and a card's name, a USB `vendor:product` or
  ///     `vendor:product:serial`.
  ///   - nodes: all that may be meant.
  package init(named name: String, among nodes: [VideoNode]) throws(CameraProblem) {
    if name.hasPrefix("/") {
      guard let node = nodes.first(where: { $0.path == name || $0.links.contains(name) }) else {
        throw .missing(offered: Self.offered(nodes))
      }
      self = try Self(checking: node, reason: "as asked")
      return
    }
    let wanted = name.hasPrefix("v4l2:") ? String(name.dropFirst(5)) : name
    let named = Self.named(wanted, among: nodes)
    guard let first = named.first else { throw .missing(offered: Self.offered(nodes)) }
    let cameras = named.filter { NodeKind($0).isCamera }
    guard let camera = cameras.first else {
      self = try Self(checking: first, reason: "as asked")
      return
    }
    guard cameras.count == 1 else { throw .ambiguous(cameras.map(Self.label)) }
    node = camera
    reason = "it is called \(camera.card)"
  }

  /// The camera that `auto` takes: what gives the broadcast the picture that it wants before one that
  /// does not, hardware before what a program feeds, then the lowest number.
  package init(bestOf nodes: [VideoNode], for wanted: WantedPicture) throws(CameraProblem) {
    let cameras = nodes.filter { NodeKind($0).isCamera }
    guard let first = cameras.first else { throw .noCamera(nodes.map(Self.whatItIs)) }
    guard cameras.count > 1 else {
      (node, reason) = (first, "it is the only camera")
      return
    }
    let real = cameras.filter { !$0.isVirtual }
    let candidates = real.isEmpty ? cameras : real
    let able = candidates.filter { $0.reaches(wanted) }
    let chosen = able.first ?? candidates[0]
    node = chosen
    let count = able.isEmpty ? candidates.count : able.count
    var words =
      count > 1 ? "the first of \(count) cameras" : candidates.count > 1 ? "the only camera" : ""
    if !words.isEmpty && !able.isEmpty {
      words += " that can do \(wanted.lying) at \(Int(wanted.framesPerSecond.rounded())) fps"
    }
    reason = words.isEmpty ? "it is the only camera that no program has to feed" : "it is \(words)"
  }

  init(checking node: VideoNode, reason: String) throws(CameraProblem) {
    let kind = NodeKind(node)
    if case .closed(let problem) = kind { throw problem }
    guard kind.isCamera else { throw .noCameraNode(kind.advice(for: node.path)) }
    self.node = node
    self.reason = reason
  }

  /// Whether a USB device goes by `name`: `v4l2:`, and its `vendor:product` or `vendor:product:serial`.
  static func means(_ name: String, _ usb: USBIdentity) -> Bool {
    let wanted = name.hasPrefix("v4l2:") ? String(name.dropFirst(5)) : name
    return wanted.lowercased() == usb.model || wanted == "\(usb.model):\(usb.serial ?? "")"
  }

  /// Every node that `name` may mean; the exact name before a part of it.
  private static func named(_ name: String, among nodes: [VideoNode]) -> [VideoNode] {
    let lower = name.lowercased()
    let byUSB = nodes.filter { $0.usb.map { means(name, $0) } ?? false }
    if !byUSB.isEmpty { return byUSB }
    let exact = nodes.filter { $0.card.lowercased() == lower }
    return exact.isEmpty ? nodes.filter { $0.card.lowercased().contains(lower) } : exact
  }

  private static func offered(_ nodes: [VideoNode]) -> [String] {
    nodes.filter { NodeKind($0).isCamera }.map(label)
  }

  private static func label(_ node: VideoNode) -> String {
    node.path + " ("
      + ([node.card] + [node.usb.map(usbName)].compactMap { $0 }).joined(
        separator: ", ") + ")"
  }

  private static func usbName(_ usb: USBIdentity) -> String {
    usb.model + (usb.serial.map { ":\($0)" } ?? "")
  }

  private static func whatItIs(_ node: VideoNode) -> String {
    "\(node.path) (\(node.card)) is none: \(NodeKind(node).advice(for: node.path))"
  }
}

extension VideoNode {
  /// A program feeds it.
  package var isVirtual: Bool { driver == "v4l2 loopback" || driver == "vivid" }

  /// Can be asked for all that is wanted.
  func reaches(_ wanted: WantedPicture) -> Bool {
    var settings = CameraSettings()
    settings.passthrough = capturesCoded
    let negotiation = try? CameraNegotiation(usableOffers, wanted: wanted, settings: settings)
    guard let mode = negotiation?.modes[0] else { return false }
    let rate = mode.rate?.value ?? wanted.framesPerSecond
    return mode.size.width >= wanted.lying.width && mode.size.height >= wanted.lying.height
      && rate >= wanted.framesPerSecond * 0.995
  }
}
