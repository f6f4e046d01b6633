import BunnySystem
import Glibc

/// Which program has a device open, as far as `/proc` tells this user.
enum DeviceHolder {
  /// "guvcview (process 4711)"; nil when nobody's is seen, or it is this process itself.
  static func name(of path: String) -> String? {
    for process in SystemFiles.names(in: "/proc") {
      guard let number = Int32(process), number != getpid() else { continue }
      if count(of: path, in: process) > 0 {
        let program = SystemFiles.text("/proc/\(process)/comm") ?? "a program"
        return "\(program) (process \(process))"
      }
    }
    return nil
  }

  /// Whether this process has it open besides the try that found it busy.
  static func isThisProcess(of path: String) -> Bool { count(of: path, in: "self") > 1 }

  private static func count(of path: String, in process: String) -> Int {
    let folder = "/proc/\(process)/fd"
    return SystemFiles.names(in: folder).count {
      SystemFiles.linkTarget("\(folder)/\($0)") == path
    }
  }
}
