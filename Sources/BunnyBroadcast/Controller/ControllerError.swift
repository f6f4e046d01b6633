/// Why a ``BunnyBroadcastController`` did not do what it was asked to.
public enum BunnyBroadcastControllerError: Error, Sendable, Equatable {
  /// The broadcast ended because of this. Its ``BroadcastError``'s sentence, and the error itself in
  /// ``BunnyBroadcastController/lastError``.
  case failed(message: String)
  /// A value of the quality cannot be broadcast.
  case quality(QualityError)
  /// This configuration, machine or build cannot do that; why, and what to do.
  case unavailable(BroadcastCapability, reason: String)
  /// Nothing runs that could do it.
  case notBroadcasting
  /// The broadcast was asked to end, or ended, before it was done.
  case endedBefore
  /// The broadcast was asked to leave the stream, which may run on.
  case left
  /// The task that asked was cancelled. The broadcast goes on.
  case cancelled
}

extension BunnyBroadcastControllerError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .failed(let message): message
    case .quality(let error): "the quality's \(error)"
    case .unavailable(_, let reason): reason
    case .notBroadcasting: "nothing is being broadcast; start a broadcast first"
    case .endedBefore: "the broadcast ended before that was done; start it again"
    case .left: "the broadcast left its stream, which was not ended; end the stream by itself"
    case .cancelled: "whoever waited for it waits no more; the broadcast goes on"
    }
  }
}

/// What a broadcast may or may not be able to do.
public enum BroadcastCapability: String, Sendable, Codable, CaseIterable {
  /// To go on to another camera.
  case rotateCamera
}

extension BunnyBroadcastControllerError {
  init(_ error: BroadcastError) { self = .failed(message: error.description) }
}
