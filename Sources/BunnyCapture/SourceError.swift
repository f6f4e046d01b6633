import BunnySystem

/// Why a source cannot be opened, or was lost. What it prints holds no path or query of an address.
public enum SourceError: Error, Equatable, Sendable {
  /// There is nothing by that name.
  case missing(String)
  /// It is there, and may not be read.
  case unreadable(String, reason: String)
  /// It needs a library that this machine does not have.
  case libraryMissing(String, library: String, package: String)
  /// It was read, and holds nothing of what was asked.
  case notMedia(String, reason: String)
  /// libavdevice has no such format.
  case unknownFormat(String)
  /// A microphone that cannot be opened.
  case microphone(String, MicrophoneProblem)
  /// It was open and stopped delivering.
  case lost(String, reason: String)
  /// What is wrong with a camera.
  case camera(String, CameraProblem)
  /// What is wrong with what another program delivers.
  case pipe(String, PipeProblem)
}

extension SourceError {
  /// A reset of its USB device may help: it is there, free and allowed, and does not do what it should.
  package var mayPassByReset: Bool {
    switch self {
    case .lost: true
    case .camera(_, let problem):
      switch problem {
      case .unplugged, .silent, .broken, .failed: true
      default: false
      }
    case .microphone(_, .failed): true
    default: false
    }
  }
}

extension SourceError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let name):
      "\(hidingAddress(name)) does not exist; check its spelling, and the folder this runs in"
    case .unreadable(let name, let reason):
      "\(hidingAddress(name)) cannot be opened: \(reason); "
        + (name.contains("://")
          ? "check the address and the network" : "check that this user may read it")
    case .libraryMissing(let name, let library, let package):
      "\(hidingAddress(name)) needs \(library), which is not on this machine; "
        + "install the package \(package)"
    case .notMedia(let name, let reason):
      "\(hidingAddress(name)) holds no media that can be played: \(reason); try `ffprobe` on it"
    case .unknownFormat(let name):
      "av:\(hidingAddress(name)) is no format of this machine's libavdevice; "
        + "`ffmpeg -devices` lists them"
    case .microphone(let name, let problem): "\(name) \(problem)"
    case .lost(let name, let reason):
      "\(hidingAddress(name)) stopped delivering: \(reason)"
    case .camera(let name, let problem):
      "\(name) \(problem)"
    case .pipe(let name, let problem): "\(name) \(problem)"
    }
  }
}

extension SourceError {
  /// It can never deliver again.
  package var isFinal: Bool { if case .pipe(_, .ended) = self { true } else { false } }
}
