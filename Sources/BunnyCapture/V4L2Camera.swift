public import BunnyMedia
import BunnySystem

/// A V4L2 camera of this machine. Buffers are lent to the pictures while the driver can spare them.
///
/// One that is lost is opened again by the next ``next()``, whatever its number is by then.
public final class V4L2Camera: PictureSource, @unchecked Sendable {
  // Only `wake` and `isCancelled` are touched by other threads than the capture thread.
  private let settings: CameraSettings
  private let wanted: WantedPicture
  private let context: SourceContext
  private var node: VideoNode
  private var stream: V4L2Stream?
  private let wake = WakeEvent()
  private let isCancelled = Flag()

  /// Which camera and mode were chosen, and why.
  public let choice: String
  /// The USB device that it is a part of.
  let usb: USBIdentity?

  /// - Parameter name: as in ``VideoInput/camera(_:)``; nil: the one that suits best.
  /// - Throws: ``SourceError/camera(_:_:)``.
  package init(
    _ name: String?, wanted: WantedPicture, settings: CameraSettings, _ context: SourceContext
  ) throws(SourceError) {
    (self.wanted, self.settings, self.context) = (wanted, settings, context)
    let chosen: CameraChoice
    do throws(CameraProblem) {
      chosen = try Self.choose(name, wanted)
    } catch {
      throw .camera(name ?? "The camera", error)
    }
    node = chosen.node
    usb = node.usb
    do throws(CameraProblem) {
      let negotiation = try CameraNegotiation(
        node.usableOffers, wanted: wanted, settings: settings)
      let stream = try V4L2Stream(node, negotiation, settings, isAgain: false, context)
      self.stream = stream
      let isFirst = stream.mode == negotiation.modes[0]
      choice =
        "\(node.path) (\(node.card)): \(chosen.reason); \(stream.mode)"
        + (isFirst ? ": \(negotiation.reason)" : "")
    } catch {
      throw .camera(node.path, error)
    }
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

  public func next() throws -> Picture? {
    while !isCancelled.isSet {
      do throws(CameraProblem) {
        if stream == nil { stream = try reopened() }
        if let picture = try stream?.next(wake) { return picture }
      } catch {
        stream?.stop()
        stream = nil
        throw SourceError.camera(node.path, error)
      }
    }
    stream?.stop()
    stream = nil
    return nil
  }

  public func cancel() {
    isCancelled.isSet = true
    wake.signal()
  }

  private func reopened() throws(CameraProblem) -> V4L2Stream {
    let same = VideoNode.all().filter { $0.isSameDevice(as: node) }
    guard let found = same.first(where: { $0.path == node.path }) ?? same.first else {
      throw .unplugged
    }
    guard NodeKind(found).isCamera else {
      throw .noCameraNode(NodeKind(found).advice(for: found.path))
    }
    if found.path != node.path { context.notice("\(node.card) is \(found.path) now") }
    node = found
    let negotiation = try CameraNegotiation(found.usableOffers, wanted: wanted, settings: settings)
    return try V4L2Stream(found, negotiation, settings, isAgain: true, context)
  }
}
