public import BunnyRTMP
public import FoundationEssentials

/// What a ``BunnyBroadcastController`` does; each case carries what only that state has. An ingest is
/// printed without its key.
public enum BunnyBroadcastState: Sendable, Equatable {
  /// Never begun.
  case idle
  /// Bunny's API is asked for the stream, or its time is waited for; why, in words, and until when, by
  /// Bunny's clock, if that is known.
  case waiting(reason: String, until: Date?)
  /// Sources and encoder are being opened.
  case preparing
  /// They are open; no ingest has accepted the stream yet, and this one is being tried.
  case connecting(Ingest)
  /// The ingest receives the stream; viewers do not see it yet, as far as is known.
  case preview(Ingest)
  /// Viewers can see it, from this ingest.
  case live(Ingest)
  /// The ingest was lost. `attempt` counts from 1 since media last flowed.
  case reconnecting(attempt: Int, usingBackup: Bool, reason: String)
  /// Asked to end, and not over yet; `endsStream`: the live stream is to be ended for good.
  case stopping(endsStream: Bool)
  /// Over: it was ended here, its duration has passed, or the live stream was ended elsewhere.
  case ended(reason: String)
  /// Over here; the live stream is as it was, and the next broadcast resumes it.
  case left(reason: String)
  /// Over because of an error. ``BunnyBroadcastEvent/failed(message:)`` said the same.
  case failed(message: String)
}

extension BunnyBroadcastState {
  /// Whether anything runs. What does not may be started.
  public var isBroadcasting: Bool {
    switch self {
    case .idle, .ended, .left, .failed: false
    default: true
    }
  }

  /// The case's own name.
  public var name: String {
    switch self {
    case .idle: "idle"
    case .waiting: "waiting"
    case .preparing: "preparing"
    case .connecting: "connecting"
    case .preview: "preview"
    case .live: "live"
    case .reconnecting: "reconnecting"
    case .stopping: "stopping"
    case .ended: "ended"
    case .left: "left"
    case .failed: "failed"
    }
  }

  /// What it carries, in words; nil: nothing.
  public var detail: String? {
    switch self {
    case .idle, .preparing: nil
    case .waiting(let reason, _), .ended(let reason), .left(let reason): reason
    case .connecting(let ingest), .preview(let ingest), .live(let ingest): "\(ingest)"
    case .reconnecting(let attempt, let usingBackup, let reason):
      "attempt \(attempt) at the \(usingBackup ? "backup" : "primary") ingest: \(reason)"
    case .stopping(let endsStream): endsStream ? "the stream is ended for good" : nil
    case .failed(let message): message
    }
  }
}

/// Which camera is on air, as Bunny's SDKs count them.
public enum BunnyCameraPosition: String, Sendable, Codable {
  /// The first one of the configuration, ``BroadcastConfiguration/video``.
  case back
  /// Any other, of ``BroadcastConfiguration/otherVideos``.
  case front
}
