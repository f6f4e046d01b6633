import BunnySystem
import CBunnyV4L2
import Glibc

/// An open `/dev/video` node; closed with this object.
final class V4L2Device: Sendable {
  let path: String
  let fileDescriptor: Int32
  let driver: String
  let card: String
  let bus: String
  let capabilities: VideoNode.Capabilities

  init(_ path: String) throws(CameraProblem) {
    self.path = path
    fileDescriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if fileDescriptor < 0 { throw Self.problem("open", errno, path) }
    var facts = v4l2_capability()
    let code = bunny_v4l2(fileDescriptor, bunny_vidioc_querycap, &facts)
    (driver, card, bus) = (text(facts.driver), text(facts.card), text(facts.bus_info))
    let hasOwn = facts.capabilities & UInt32(1 << 31) != 0  // V4L2_CAP_DEVICE_CAPS
    capabilities = .init(rawValue: hasOwn ? facts.device_caps : facts.capabilities)
    if code != 0 { throw Self.problem("QUERYCAP", code, path) }
  }

  /// Some drivers know frames only as lying in several planes, be it one.
  var isInPlanes: Bool { !capabilities.contains(.capture) }

  /// What its buffers are called.
  var captureType: UInt32 {
    (isInPlanes ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE).rawValue
  }

  deinit { if fileDescriptor >= 0 { close(fileDescriptor) } }

  /// - Returns: 0, or the `errno`.
  func ask<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
    withUnsafeMutablePointer(to: &argument) { bunny_v4l2(fileDescriptor, request, $0) }
  }

  func call<Argument>(
    _ name: String, _ request: UInt, _ argument: inout Argument
  ) throws(CameraProblem) {
    let code = ask(request, &argument)
    if code != 0 { throw Self.problem(name, code, path) }
  }

  /// The one place that turns an `errno` into words.
  static func problem(_ call: String, _ code: Int32, _ path: String) -> CameraProblem {
    switch code {
    case ENOENT, ENODEV, ENXIO: .unplugged
    case EACCES, EPERM: .forbidden
    case EBUSY where DeviceHolder.isThisProcess(of: path): .onAir
    case EBUSY: .busy(holder: DeviceHolder.name(of: path))
    default: .failed(call: call, reason: words(code))
    }
  }

  static func words(_ code: Int32) -> String {
    code == EIO ? "input/output error" : systemWords(code)
  }
}

/// Text of a C array.
func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
