public import BunnyMedia
import BunnySystem
import Synchronization

/// A V4L2 camera of this machine. Buffers are lent to the pictures while the driver can spare them.
///
/// One that is not there or was lost is opened by the next ``next()``, whatever its number is by then.
public final class V4L2Camera: PictureSource, @unchecked Sendable {
  // Only `wake`, `isCancelled`, `known` and `usb` are touched by other threads than the capture thread.
  private let name: String?
  private let settings: CameraSettings
  private let wanted: WantedPicture
  private let context: SourceContext
  /// The device that was taken, once it has worked.
  private let known: Mutex<VideoNode?>
  /// Of the device that was meant last, whether it worked or not.
  private let usb: Mutex<USBIdentity?>
  /// It is to have the mode that it would have alone, until it has delivered.
  private var besideAnother: Bool
  private var stream: V4L2Stream?
  /// Which node and mode were told of last.
  private var told: (String, CameraMode)?
  private let wake = WakeEvent()
  private let isCancelled = Flag()

  public var usbDevice: USBIdentity? { usb.withLock { $0 } }

  /// Opens nothing yet.
  ///
  /// - Parameters:
  ///   - name: as in ``VideoInput/camera(_:)``; nil: the one that suits best.
  ///   - besideAnother: what its bus has no room for beside another camera, that one may go for: it is
  ///     to have the mode that it would have alone, or none.
  ///   - known: the device that it was before.
  package init(
    _ name: String?, wanted: WantedPicture, settings: CameraSettings, besideAnother: Bool = false,
    known: VideoNode? = nil, _ context: SourceContext
  ) {
    (self.name, self.wanted, self.settings, self.context) = (name, wanted, settings, context)
    self.besideAnother = besideAnother
    self.known = Mutex(known)
    usb = Mutex(known?.usb)
  }

  deinit { stream?.stop() }

  private static func choose(
    _ name: String?, _ wanted: WantedPicture
  ) throws(CameraProblem) -> CameraChoice {
    let nodes = VideoNode.all()
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
      if let before { chosen = try find(before) } else { chosen = try Self.choose(name, wanted) }
      found = chosen.node
      usb.withLock { $0 = chosen.node.usb }
      stream = try start(chosen, isAgain: before != nil)
      known.withLock { $0 = chosen.node }
    } catch {
      throw .camera(found?.path ?? before?.path ?? name ?? "The camera", error)
    }
  }

  public func next() throws -> Picture? {
    while !isCancelled.isSet {
      try open()
      guard let stream else { break }
      do throws(CameraProblem) {
        if let picture = try stream.next(wake) {
          besideAnother = false
          return picture
        }
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
    let same = VideoNode.all().filter { $0.isSameDevice(as: before) }
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
    let stream = try V4L2Stream(
      node, negotiation, settings, isAgain: isAgain, takesLess: !besideAnother, context)
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
