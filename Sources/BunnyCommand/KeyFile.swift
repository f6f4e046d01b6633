import BunnySystem
import Glibc

/// A secret that is given in a file: a stream key apart from its URL, or an access key.
package enum KeyFile {
  /// Who names the file: decides what an error calls it, and what it advises.
  package enum Origin: Sendable {
    /// An option of the command line. Its value `-` is standard input.
    case option(String)
    /// `--api-header-file`, which names a file of headers.
    case headers
    /// systemd, which copies what the unit's `LoadCredential=` names.
    case credential

    /// What looks like no path may be the key itself, mislaid behind an option: it is not shown.
    func name(of path: String) -> String {
      switch self {
      case .credential: "the systemd credential \(path)"
      case .option where path == "-": "standard input"
      case .headers where path == "-": "standard input"
      case .headers: "the header file \(hidingAddress(path))"
      case .option where path.contains("/") || path.contains("."):
        "the key file \(hidingAddress(path))"
      case .option(let option): "the file that \(option) names"
      }
    }

    /// What to do about a file that does not open.
    fileprivate var remedy: String {
      switch self {
      case .option(let option): "\(option) takes the path of a file that holds the key"
      case .headers: "--api-header-file takes the path of a file of headers"
      case .credential: Self.unit
      }
    }

    /// What to do about a file that holds something else.
    fileprivate var contentRemedy: String {
      switch self {
      case .option: "it must hold the key"
      case .headers: "it must hold one `Name: value` a line"
      case .credential: Self.unit
      }
    }

    /// Whose `-` is standard input.
    fileprivate var option: String? {
      switch self {
      case .option(let option): option
      case .headers: "--api-header-file"
      case .credential: nil
      }
    }

    private static let unit = "check LoadCredential= in the unit"
  }

  private static let longestKey = 8192

  /// - Parameter warn: told of a file that others may read.
  /// - Returns: What the file holds, without the line break at its end.
  package static func read(
    _ path: String, from origin: Origin = .option("--key-file"), warn: (String) -> Void
  ) throws(CommandError) -> String {
    let name = origin.name(of: path)
    let file = try open(path, name, origin)
    defer { if file != STDIN_FILENO { close(file) } }
    if file != STDIN_FILENO { warnIfReadable(file, name, warn) }
    let bytes = try contents(of: file, name, origin)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError(.usage, "\(name) is not text; \(origin.contentRemedy)")
    }
    var key = text[...]
    while key.last?.isNewline == true { key.removeLast() }
    guard !key.isEmpty else {
      throw CommandError(.usage, "\(name) is empty; \(origin.contentRemedy)")
    }
    return String(key)
  }

  private static func open(
    _ path: String, _ name: String, _ origin: Origin
  ) throws(CommandError) -> Int32 {
    if path == "-", let option = origin.option {
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
        .noInput, "\(name) cannot be opened: \(systemWords(errno)); \(origin.remedy)")
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

  private static func contents(
    of file: Int32, _ name: String, _ origin: Origin
  ) throws(CommandError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else {
        throw CommandError(
          .noInput, "\(name) cannot be read: \(systemWords(errno)); \(origin.remedy)")
      }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= longestKey else {
        throw CommandError(
          .usage,
          "\(name) is longer than \(longestKey) bytes, as no key is; \(origin.contentRemedy)")
      }
    }
  }
}
