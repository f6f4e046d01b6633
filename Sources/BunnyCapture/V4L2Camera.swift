public import BunnyMedia
import BunnySystem
import Synchronization

/// A V4L2 camera of this machine. Buffers are lent to the pictures while the driver can spare them.
///
/// One that is not there or was lost is opened by the next ``next()``, whatever its number is by then.
public final class V4L2Camera: CodedPictureSource, @unchecked Sendable {
  // Only `wake`, the flags, `memory` and `usb` are touched by other threads than the capture thread.
  private let name: String?
  private let settings: CameraSettings
  private let wanted: WantedPicture
  private let context: SourceContext
  private let memory: CameraMemory
  /// Of the device that was meant last, whether it worked or not.
  private let usb: Mutex<USBIdentity?>
  /// It is to have the mode that it would have alone, until it has delivered.
  private var besideAnother: Bool
  private var stream: V4L2Stream?
  /// The node, or what else is known of it, that was tried last: for errors.
  private var attempted = ""
  private let wake = WakeEvent()
  private let isCancelled = Flag()
  /// It is to be opened anew.
  private let isStale = Flag()
  private let wantsKeyframe = Flag()
  public let isWatched = true

  public var usbDevice: USBIdentity? { usb.withLock { $0 } }

  /// Opens nothing yet.
  ///
  /// - Parameters:
  ///   - name: as in ``VideoInput/camera(_:)``; nil: the one that suits best.
  ///   - besideAnother: what its bus has no room for beside another camera, that one may go for: it is
  ///     to have the mode that it would have alone, or none.
  ///   - memory: of what it was before.
  package init(
    _ name: String?, wanted: WantedPicture, settings: CameraSettings, besideAnother: Bool = false,
    memory: CameraMemory = CameraMemory(), _ context: SourceContext
  ) {
    (self.name, self.wanted, self.settings, self.context) = (name, wanted, settings, context)
    self.besideAnother = besideAnother
    self.memory = memory
    usb = Mutex(memory.known?.device.usb)
  }

  deinit { stream?.stop() }

  public func renewed() -> (any PictureSource)? {
    V4L2Camera(
      name, wanted: wanted, settings: settings, memory: memory, context)
  }

  /// Opens it, unless it is open. Belongs to the capture thread, or to whoever has not handed it over yet.
  ///
  /// - Throws: ``SourceError/camera(_:_:)``.
  package func open() throws(SourceError) {
    guard stream == nil else { return }
    let before = memory.known
    attempted = before?.device.path ?? name ?? "The camera"
    do throws(CameraProblem) {
      let listed = ListedNode.all()
      if let before {
        try take(find(before, among: listed), beside: listed)
      } else if let name {
        try take(choose(name, among: listed), beside: listed)
      } else {
        try takeBest(of: listed)
      }
    } catch {
      throw .camera(attempted, error)
    }
  }

  public func next() throws -> Picture? { try nextDecoded() }

  package func nextCaptured() throws -> Captured? {
    while true {
      if isStale.isSet {
        isStale.isSet = false
        wake.clear()  // before looking whether it was cancelled, which wakes too
        close()
      }
      if isCancelled.isSet { break }
      try open()
      guard let stream else { break }
      if wantsKeyframe.isSet {
        wantsKeyframe.isSet = false
        stream.askForKeyframe()
      }
      do throws(CameraProblem) {
        if let captured = try stream.next(wake) {
          besideAnother = false
          return captured
        }
      } catch {
        close()
        throw SourceError.camera(stream.node.path, error)
      }
    }
    close()
    return nil
  }

  package func wantKeyframe() { wantsKeyframe.isSet = true }

  public func cancel() {
    isCancelled.isSet = true
    wake.signal()
  }

  public func reopen() -> Bool {
    isStale.isSet = true
    wake.signal()
    return true
  }

  private func close() {
    stream?.stop()
    stream = nil
  }

  private func opened(_ listed: ListedNode) -> VideoNode {
    var node = VideoNode(listed)
    node.capturesCoded = settings.passthrough
    return node
  }

  /// The best that nobody holds.
  private func takeBest(of listed: [ListedNode]) throws(CameraProblem) {
    var nodes = listed.map(opened)
    var held: CameraProblem?
    while stream == nil {
      let chosen: CameraChoice
      do throws(CameraProblem) {
        chosen = try CameraChoice(bestOf: nodes, for: wanted)
      } catch {
        throw held ?? error
      }
      do throws(CameraProblem) {
        try take(chosen, beside: listed)
      } catch {
        switch error {
        case .busy, .onAir: held = held ?? error
        default: throw error
        }
        nodes.removeAll { $0.path == chosen.node.path }
      }
    }
  }

  private func take(
    _ chosen: CameraChoice, beside listed: [ListedNode]
  ) throws(CameraProblem) {
    attempted = chosen.node.path
    usb.withLock { $0 = chosen.node.usb }
    stream = try start(chosen, isAgain: memory.known != nil)
    memory.known = KnownDevice(chosen.node, beside: listed.compactMap(\.usb))
  }

  /// The camera that is meant. Opens only nodes that may be it.
  private func choose(
    _ name: String, among listed: [ListedNode]
  ) throws(CameraProblem) -> CameraChoice {
    guard name.hasPrefix("/") else {
      let byUSB = listed.filter { $0.usb.map { CameraChoice.means(name, $0) } ?? false }
      let candidates = byUSB.isEmpty ? listed : byUSB
      return try CameraChoice(named: name, among: candidates.map(opened))
    }
    let real = SystemFiles.realPath(name) ?? name
    guard let node = listed.first(where: { $0.path == real }) else {
      throw .missing(offered: listed.filter { $0.index == 0 }.map(\.description))
    }
    return try CameraChoice(checking: opened(node), reason: "as asked")
  }

  /// The same device again.
  private func find(
    _ known: KnownDevice<VideoNode>, among listed: [ListedNode]
  ) throws(CameraProblem) -> CameraChoice {
    let candidates = listed.filter { $0.mayBe(known.device) && known.mayBe($0.usb) }
      .map(opened)
    // What cannot be opened does not say what it is; its USB numbers do.
    let closed = candidates.first { $0.usb != nil && $0.problem != nil }
    guard let found = known.found(among: candidates).first ?? closed else { throw .unplugged }
    return try CameraChoice(checking: found, reason: "it is the same device")
  }

  private func start(
    _ chosen: CameraChoice, isAgain: Bool
  ) throws(CameraProblem) -> V4L2Stream {
    let node = chosen.node
    let negotiation = try CameraNegotiation(node.usableOffers, wanted: wanted, settings: settings)
    let stream = try V4L2Stream(
      node, negotiation, settings, wanted, isAgain: isAgain, takesLess: !besideAnother, context)
    if settings.passthrough && stream.mode.format != "H264" && !isAgain {
      context.notice("\(node.path) codes no H.264 that could be passed on; it is encoded here")
    }
    let isFirst = stream.mode == negotiation.modes[0]
    if memory.isNews(node.path, stream.mode) {
      context.chosen(
        "\(node.path) (\(node.card)): \(chosen.reason); \(stream.mode)"
          + (isFirst ? ": \(negotiation.reason)" : ""))
    }
    return stream
  }
}
