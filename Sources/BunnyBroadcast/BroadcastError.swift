public import BunnyCapture
public import BunnyMedia
public import BunnyRTMP
public import BunnyStreamAPI

/// Why a broadcast ended, when nobody asked it to.
public enum BroadcastError: Error, Sendable {
  /// A source cannot be opened.
  case source(SourceError)
  /// The encoder refuses its settings, or FFmpeg has none.
  case encoder(AVFailure)
  /// The ingest cannot be reached or refused, and trying again was not wanted or cannot help.
  case ingest(RTMPError)
  /// Bunny's API refused, or was not reached and trying again was not wanted.
  case api(BunnyLiveStreamError)
  /// The live stream of that GUID is over, and can never run again.
  case streamOver(String, BunnyLiveStreamStatus)
  /// Our own fault.
  case fault(String)
}

extension BroadcastError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .source(let error): error.description
    case .encoder(let failure) where failure.isMissingEncoder:
      "this machine's FFmpeg has no encoder for H.264 or AAC (\(failure.call)); "
        + "install Debian's package libavcodec59, or an FFmpeg with libx264"
    case .encoder(let failure):
      "the encoder refuses its settings (\(failure)); check the quality's encoder section, "
        + "x264's own options above all"
    case .ingest(let error): error.description
    case .api(let error): error.description
    case .streamOver(let id, let status):
      "the live stream \(id) \(status.isFailure ? "has failed" : "has ended") and can never run again; "
        + "make a new one and give its GUID"
    case .fault(let what):
      "\(what); this is a fault of bunny-broadcast's own: please report it with the log"
    }
  }
}

extension BroadcastError {
  /// What any error of the lanes means.
  init(_ error: any Error) {
    switch error {
    case let error as BroadcastError: self = error
    case let error as SourceError: self = .source(error)
    case let error as RTMPError: self = .ingest(error)
    case let error as BunnyLiveStreamError: self = .api(error)
    default: self = .fault("\(error)")
    }
  }
}

extension BunnyLiveStreamStatus {
  fileprivate var isFailure: Bool { self == .error }
}
