import Glibc

/// What `/proc`, `/sys` and `/dev` say.
package enum SystemFiles {
  /// What lies in a folder, in no order; nothing where it cannot be read.
  package static func names(in folder: String) -> [String] {
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
  package static func text(_ path: String) -> String? { lines(path).first }

  /// The lines of a small file; none where it cannot be read.
  package static func lines(_ path: String) -> [String] {
    bytes(path).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What is in a small file, as far as 64 KB go; nothing where it cannot be read.
  package static func bytes(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)  // a FIFO would keep us waiting
    guard file >= 0 else { return [] }
    defer { close(file) }
    // Some are read four times a second: memory that is not written to costs nothing.
    return [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      while let free = buffer.baseAddress.map({ $0 + count }), count < buffer.count {
        let part = read(file, free, buffer.count - count)
        guard part > 0 else { break }
        count += part
      }
    }
  }

  package static func linkTarget(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 1024)
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// With every link followed; nil for what is not there.
  package static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
