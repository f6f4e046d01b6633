import BunnySystem
import Glibc

/// A secret that is given in a file: a stream key apart from its URL, or an access key.
package enum KeyFile {
  private static let longestKey = 8192

  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - warn: told of a file that others may read.
  /// - Returns: What the file holds, without the line break at its end.
  package static func read(
    _ path: String, option: String = "--key-file", warn: (String) -> Void
  ) throws(CommandError) -> String {
    let name = name(of: path, option)
    let file = try open(path, name, option)
    defer { if path != "-" { close(file) } }
    if path != "-" { warnIfReadable(file, name, warn) }
    let bytes = try contents(of: file, name)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(.usage, "\(name) is not text; it must hold the key")
    }
    var key = text[...]
    while key.last?.isNewline == true { key.removeLast() }
    guard !key.isEmpty else {
      throw CommandError(.usage, "\(name) is empty; it must hold the key")
    }
    return String(key)
  }

  /// What looks like no path may be the key itself, mislaid: it is not shown.
  private static func name(of path: String, _ option: String) -> String {
    if path == "-" { return "standard input" }
    return path.contains("/") || path.contains(".")
      ? "the key file \(hidingAddress(path))" : "the file that \(option) names"
  }

  private static func open(
    _ path: String, _ name: String, _ option: String
  ) throws(CommandError) -> Int32 {
    guard path != "-" else {
      guard isatty(STDIN_FILENO) == 0 else {
        throw CommandError(
          .usage,
          "\(option) - reads standard input, which is a terminal here and would show the key; "
            + "pipe it in, or name a file")
      }
      return STDIN_FILENO
    }
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw CommandError(
        .noInput,
        "\(name) cannot be opened: \(systemWords(errno)); \(option) takes the path of a file that "
          + "holds the key")
    }
    return file
  }

  private static func warnIfReadable(_ file: Int32, _ name: String, _ warn: (String) -> Void) {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o044 != 0
    else { return }
    warn("others may read \(name); `chmod 600` keeps the key to you")
  }

  private static func contents(of file: Int32, _ name: String) throws(CommandError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else {
        throw CommandError(
          .noInput,
          "\(name) cannot be read: \(systemWords(errno)); it must be a file that holds the key")
      }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= longestKey else {
        throw CommandError(
          .usage, "\(name) is longer than \(longestKey) bytes; it is no key")
      }
    }
  }
}

/// The system's words for an error number.
func systemWords(_ code: Int32) -> String { String(cString: strerror(code)) }
