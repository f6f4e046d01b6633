import BunnySystem
import Glibc

/// A quality in a JSON file, in the format of `presets/*.json`; `presets/README.md` explains it.
public struct QualityFile: Equatable, Sendable {
  /// What the file calls itself.
  public var name: String?
  /// What it says.
  public var quality: BroadcastQuality

  /// What is written here is not checked: `quality.validate()` does that.
  public init(name: String?, quality: BroadcastQuality) {
    self.name = name
    self.quality = quality
  }

  /// Reads and checks the file at `path`.
  public init(path: String) throws(QualityFileError) {
    try self.init(json: Self.contents(of: path), path: path)
  }

  /// Reads and checks what the file at `path` holds.
  package init(json: [UInt8], path: String) throws(QualityFileError) {
    do {
      var fields = try JSONFields(JSONReader.read(json))
      name = try fields.text("name", orNull: nil)
      quality = try BroadcastQuality(&fields)
      try fields.finish()
      try quality.validate()
    } catch let error as QualityError {
      throw .field(path: path, error)
    } catch {
      throw .malformed(path: path, reason: "\(error)")
    }
  }

  private static let longestFile = 1 << 20

  private static func contents(of path: String) throws(QualityFileError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)  // a FIFO would keep us waiting
    guard file >= 0 else {
      throw errno == ENOENT ? .missing(path) : .unreadable(path: path, reason: systemWords(errno))
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(file, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(path: path, reason: systemWords(errno)) }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= longestFile else {
        throw .malformed(path: path, reason: "longer than a mebibyte")
      }
    }
  }
}

/// Why a quality cannot be had from its name or file.
public enum QualityFileError: Error, Equatable, Sendable {
  /// No built-in quality, and not written like a file.
  case unknownName(String)
  case missing(String)
  case unreadable(path: String, reason: String)
  /// Not JSON.
  case malformed(path: String, reason: String)
  /// A key that is missing, unknown, of the wrong type or out of range.
  case field(path: String, QualityError)
}

extension QualityFileError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownName(let name):
      "\(name) is no quality; it takes "
        + BroadcastQuality.presets.map(\.name).joined(separator: ", ")
        + " or the path of a .json file"
        + didYouMean(name, among: BroadcastQuality.presets.map(\.name))
    case .missing(let path):
      "the quality file \(path) does not exist; check its spelling, and the folder this runs in"
    case .unreadable(let path, let reason):
      "the quality file \(path) cannot be read: \(reason); check that this user may read it"
    case .malformed(let path, let reason):
      "the quality file \(path) is not JSON: \(reason); "
        + "`bunny-broadcast presets --json` shows how one is written"
    case .field(let path, let error): "\(path): \(error)"
    }
  }
}

extension BroadcastQuality {
  /// The built-in quality of that name, in any case, or the one in the file of that path: whatever
  /// ends in `.json` or holds a slash.
  public init(named name: String) throws(QualityFileError) {
    if name.contains("/") || name.lowercased().hasSuffix(".json") {
      self = try QualityFile(path: name).quality
      return
    }
    let builtIn = Self.presets.first { $0.name.lowercased() == name.lowercased() }
    guard let builtIn else { throw .unknownName(name) }
    self = builtIn.quality
  }
}
