public import BunnyCapture
public import BunnyMedia
public import BunnyRTMP
public import BunnyStreamAPI

/// What was to be done to a live stream, and can be done later.
public enum Undone: String, Sendable {
  /// To show it to viewers.
  case start
  /// To end it for good.
  case stop
}

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
  /// The live stream of that GUID is not there any more.
  case streamDeleted(String)
  /// Somebody else publishes to the live stream of that GUID: an ingest heard of them so long ago.
  case streamTaken(String, lastPing: Duration)
  /// Another process of this machine broadcasts to it; its number, if known.
  case streamHeld(String, process: Int32?)
  /// The broadcast went as it should, but its live stream could not be started, or ended.
  case undone(Undone, String, BunnyLiveStreamError)
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
    case .streamOver, .streamDeleted: "\(sentence); make a new one and give its GUID"
    case .streamTaken: "\(sentence); end that broadcast, or give --takeover"
    case .streamHeld: "\(sentence); end that one first"
    case .undone(let what, let id, let error):
      "\(error); `bunny-broadcast streams \(what.rawValue) \(id)` does it later"
    case .fault(let what):
      "\(what); this is a fault of bunny-broadcast's own: please report it with the log"
    }
  }
}

extension BroadcastError {
  /// The description without the next step, where there is one.
  var sentence: String {
    switch self {
    case .streamOver(let id, let status):
      "the live stream \(id) \(status.isFailure ? "has failed" : "has ended") and can never run again"
    case .streamDeleted(let id): "the live stream \(id) was deleted"
    case .streamTaken(let id, let lastPing):
      "somebody else publishes to the live stream \(id): an ingest heard of them "
        + "\(Self.seconds(lastPing)) s ago"
    case .streamHeld(let id, let process):
      "\(process.map { "process \($0)" } ?? "another process") of this machine broadcasts to the live "
        + "stream \(id) already"
    default: description
    }
  }

  private static func seconds(_ duration: Duration) -> String {
    JSONValue.shown((duration / .milliseconds(100)).rounded() / 10)
  }

  /// The stream can never be broadcast to again.
  var isOver: Bool {
    switch self {
    case .streamOver, .streamDeleted: true
    default: false
    }
  }

  init(_ end: StreamWatch.End, of id: String) {
    switch end {
    case .status(let status): self = .streamOver(id, status)
    case .deleted: self = .streamDeleted(id)
    }
  }

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
