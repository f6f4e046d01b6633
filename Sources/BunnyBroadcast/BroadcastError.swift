public import BunnyCapture
public import BunnyMedia
public import BunnyRTMP

/// Why a broadcast ended, when nobody asked it to.
public enum BroadcastError: Error, Sendable {
  /// A source cannot be opened.
  case source(SourceError)
  /// The encoder refuses its settings, or FFmpeg has none.
  case encoder(AVFailure)
  /// The ingest cannot be reached or refused, and trying again was not wanted or cannot help.
  case ingest(RTMPError)
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
    default: self = .fault("\(error)")
    }
  }
}
