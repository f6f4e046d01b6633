public import BunnyCapture
public import BunnyMedia
public import BunnyRTMP

/// Why a broadcast ended, when nobody asked it to.
public enum BroadcastError: Error, Sendable {
  /// A source cannot be opened.
  case source(SourceError)
  /// The encoder refuses its settings.
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
    case .encoder(let failure):
      "the encoder refuses its settings (\(failure)); check the quality's encoder section, "
        + "x264's own options above all"
    case .ingest(let error): error.description
    case .fault(let what):
      "\(what); this is a fault of bunny-broadcast's own: please report it with the log"
    }
  }
}
