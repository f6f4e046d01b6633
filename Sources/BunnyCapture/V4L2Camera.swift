public import BunnyMedia
import BunnySystem
import Synchronization

/// A V4L2 camera of this machine. Buffers are lent to the pictures while the driver can spare them.
///
/// One that is not there or was lost is opened by the next ``next()``, whatever its number is by then.
public final class V4L2Camera: CodedPictureSource, @unchecked Sendable {
  // Only `wake`, `isCancelled` and `known` are touched by other threads than the capture thread.
  private let name: String?
  private let settings: CameraSettings
  private let wanted: WantedPicture
  private let context: SourceContext
  /// The device that was taken, once it has worked.
  private let known: Mutex<VideoNode?>
  private var stream: V4L2Stream?
  /// Which node and mode were told of last.
  private var told: (String, CameraMode)?
  private let wake = WakeEvent()
  private let isCancelled = Flag()

  /// The USB device that it is a part of, once it has worked.
  var usb: USBIdentity? { known.withLock { $0?.usb } }

  /// Opens nothing yet.
  ///
  /// - Parameters:
  ///   - name: as in ``VideoInput/camera(_:)``; nil: the one that suits best.
  ///   - known: the device that it was before.
  package init(
    _ name: String?, wanted: WantedPicture, settings: CameraSettings, known: VideoNode? = nil,
    _ context: SourceContext
  ) {
    (self.name, self.wanted, self.settings, self.context) = (name, wanted, settings, context)
    self.known = Mutex(known)
  }

  deinit { stream?.stop() }

  private var nodes: [VideoNode] {
    VideoNode.all().map { node in
      var node = node
      node.capturesCoded = settings.passthrough
      return node
    }
  }

  private func choose() throws(CameraProblem) -> CameraChoice {
    let nodes = nodes
    guard let name else { return try CameraChoice(bestOf: nodes, for: wanted) }
    let real = name.hasPrefix("/") ? SystemFiles.realPath(name) : nil
    return try CameraChoice(named: real ?? name, among: nodes)
  }

  public func renewed() -> (any PictureSource)? {
    V4L2Camera(
      name, wanted: wanted, settings: settings, known: known.withLock { $0 }, context)
  }

  /// Opens it, unless it is open. Belongs to the capture thread, or to whoever has not handed it over yet.
  ///
  /// - Throws: ``SourceError/camera(_:_:)``.
  package func open() throws(SourceError) {
    guard stream == nil else { return }
    let before = known.withLock { $0 }
    var found: VideoNode?
    do throws(CameraProblem) {
      let chosen: CameraChoice
      if let before { chosen = try find(before) } else { chosen = try choose() }
      found = chosen.node
      stream = try start(chosen, isAgain: before != nil)
      known.withLock { $0 = chosen.node }
    } catch {
      throw .camera(found?.path ?? before?.path ?? name ?? "The camera", error)
    }
  }

  public func next() throws -> Picture? { try nextDecoded() }

  package func nextCaptured() throws -> Captured? {
    while !isCancelled.isSet {
      try open()
      guard let stream else { break }
      do throws(CameraProblem) {
        if let captured = try stream.next(wake) { return captured }
      } catch {
        close()
        throw SourceError.camera(stream.node.path, error)
      }
    }
    close()
    return nil
  }

  public func cancel() {
    isCancelled.isSet = true
    wake.signal()
  }

  private func close() {
    stream?.stop()
    stream = nil
  }

  /// The same device again.
  private func find(_ before: VideoNode) throws(CameraProblem) -> CameraChoice {
    let same = nodes.filter { $0.isSameDevice(as: before) }
    guard let found = same.first(where: { $0.path == before.path }) ?? same.first else {
      throw .unplugged
    }
    return try CameraChoice(checking: found, reason: "it is the same device")
  }

  private func start(
    _ chosen: CameraChoice, isAgain: Bool
  ) throws(CameraProblem) -> V4L2Stream {
    let node = chosen.node
    let negotiation = try CameraNegotiation(node.usableOffers, wanted: wanted, settings: settings)
    let stream = try V4L2Stream(node, negotiation, settings, wanted, isAgain: isAgain, context)
    if settings.passthrough && stream.mode.format != "H264" && !isAgain {
      context.notice("\(node.path) codes no H.264 that could be passed on; it is encoded here")
    }
    let isFirst = stream.mode == negotiation.modes[0]
    if told.map({ $0 != (node.path, stream.mode) }) ?? true {
      context.chosen(
        "\(node.path) (\(node.card)): \(chosen.reason); \(stream.mode)"
          + (isFirst ? ": \(negotiation.reason)" : ""))
    }
    told = (node.path, stream.mode)
    return stream
  }
}
