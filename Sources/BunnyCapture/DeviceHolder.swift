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

/// What `/proc`, `/sys` and `/dev` say.
enum SystemFiles {
  /// What lies in a folder, in no order; nothing where it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      // Where it lies: an entry is as long as its name, not as its type says.
      let place = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
      let name = String(cString: place.assumingMemoryBound(to: CChar.self))
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// The first line of a small file.
  static func text(_ path: String) -> String? { lines(path).first }

  /// The lines of a small file; none where it cannot be read.
  static func lines(_ path: String) -> [String] {
    bytes(path).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What is in a small file, as far as 64 KB go; nothing where it cannot be read.
  static func bytes(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }

  static func linkTarget(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 1024)
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// With every link followed; nil for what is not there.
  static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
