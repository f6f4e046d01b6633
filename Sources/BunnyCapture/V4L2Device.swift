import CBunnyV4L2
import Glibc

/// An open `/dev/video` node; closed with this object.
final class V4L2Device: Sendable {
  let path: String
  let fileDescriptor: Int32

  init(_ path: String) throws(CameraProblem) {
    self.path = path
    fileDescriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if fileDescriptor < 0 { throw Self.problem("open", errno, path) }
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
    code == EIO ? "input/output error" : String(cString: strerror(code))
  }
}

/// Text of a C array.
func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
