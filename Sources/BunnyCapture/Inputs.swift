import BunnySystem

/// Which picture to broadcast, as `--video` says it.
public enum VideoInput: Equatable, Sendable {
  /// The camera of this machine.
  case automatic
  /// The test picture, in which every frame says which one it is.
  case test
  /// A file that FFmpeg reads, in a loop.
  case file(String)
  /// Any input of libavdevice, such as a screen: `av:x11grab::0`.
  case libavdevice(format: String, device: String)
  /// A V4L2 camera: its device node, or its name.
  case camera(String)
  /// What another program delivers: through the FIFO of that path, or nil: on standard input.
  case pipe(String?)
}

/// Which sound to broadcast, as `--audio` says it.
public enum AudioInput: Equatable, Sendable {
  /// The sound that belongs to the picture: a file's own, the test picture's tone, the microphone of
  /// this machine. Silence where there is none.
  case automatic
  /// A beep once a second, in step with the test picture's flash.
  case tone
  case silence
  /// The sound of a file that FFmpeg reads, in a loop.
  case file(String)
  /// Any input of libavdevice: `av:pulse:default`.
  case libavdevice(format: String, device: String)
  /// An ALSA microphone: its device, or its name.
  case microphone(String)
}

/// A source that `--video` or `--audio` does not know.
public struct InputSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
}

extension VideoInput {
  /// What can be written, for help and for errors.
  public static let grammar =
    "test, file:PATH, pipe:[FIFO], av:FORMAT:DEVICE, /dev/videoN, v4l2:NAME or auto"

  /// Reads ``grammar``.
  public init(_ text: String) throws(InputSyntaxError) {
    switch Written(text) {
    case .word("auto"): self = .automatic
    case .word("test"): self = .test
    case .word(let path) where path.hasPrefix("/dev/"): self = .camera(path)
    case .tagged("file", let path) where !path.isEmpty: self = .file(path)
    case .tagged("v4l2", let path) where path.hasPrefix("/"): self = .camera(path)
    case .tagged("pipe", let path): self = .pipe(path.isEmpty || path == "-" ? nil : path)
    case .tagged("v4l2", let name) where !name.isEmpty: self = .camera("v4l2:\(name)")
    case .tagged("av", let rest):
      guard let (format, device) = Written.formatAndDevice(rest) else {
        throw InputSyntaxError(description: Written.incomplete("--video"))
      }
      self = .libavdevice(format: format, device: device)
    default:
      throw InputSyntaxError(
        description: "--video \(Written.shown(text)) no source; it takes \(Self.grammar)")
    }
  }
}

extension AudioInput {
  /// What can be written, for help and for errors.
  public static let grammar = "tone, silence, file:PATH, av:FORMAT:DEVICE, alsa:NAME or auto"

  /// Reads ``grammar``.
  public init(_ text: String) throws(InputSyntaxError) {
    switch Written(text) {
    case .word("auto"): self = .automatic
    case .word("tone"): self = .tone
    case .word("silence"): self = .silence
    case .word("default"): self = .microphone("default")
    case .tagged("file", let path) where !path.isEmpty: self = .file(path)
    case .tagged("alsa", let name) where !name.isEmpty: self = .microphone("alsa:\(name)")
    case .tagged("av", let rest):
      guard let (format, device) = Written.formatAndDevice(rest) else {
        throw InputSyntaxError(description: Written.incomplete("--audio"))
      }
      self = .libavdevice(format: format, device: device)
    default:
      throw InputSyntaxError(
        description: "--audio \(Written.shown(text)) no source; it takes \(Self.grammar)")
    }
  }
}

extension VideoInput: CustomStringConvertible {
  /// As it is written, addresses without path and query.
  public var description: String {
    switch self {
    case .automatic: "auto"
    case .test: "test"
    case .file(let path): hidingAddress("file:\(path)")
    case .libavdevice(let format, let device): hidingAddress("av:\(format):\(device)")
    case .camera(let name): name
    case .pipe(let path): "pipe:\(path ?? "")"
    }
  }
}

/// A source as it is written: one word, or a tag and what follows its colon.
private enum Written {
  case word(String)
  case tagged(String, String)

  init(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), !text.hasPrefix("/") else {
      self = .word(text)
      return
    }
    self = .tagged(String(text[..<colon]), String(text[text.index(after: colon)...]))
  }

  /// `x11grab::0` is the format `x11grab` and the device `:0`.
  static func formatAndDevice(_ text: String) -> (format: String, device: String)? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let format = String(text[..<colon])
    let device = String(text[text.index(after: colon)...])
    return format.isEmpty || device.isEmpty ? nil : (format, device)
  }

  static func incomplete(_ option: String) -> String {
    "\(option) av: is incomplete; write av:FORMAT:DEVICE, such as av:x11grab::0"
  }

  /// What can be no mislaid stream key is repeated: a short word of letters.
  static func shown(_ text: String) -> String {
    let isWord = text.utf8.count <= 16 && text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
    return isWord ? "\(text) is" : "was given what is"
  }
}
