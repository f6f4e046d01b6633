/// Why a session with an ingest did not come about, or ended. Holds no secret: what a server wrote
/// has been cleaned of the stream key, of control characters, and cut to a sane length.
public struct RTMPError: Error, Hashable, Sendable {
  /// The ingest this happened at; prints without its key.
  public let ingest: Ingest
  public let reason: Reason

  public init(_ reason: Reason, at ingest: Ingest) {
    self.ingest = ingest
    self.reason = reason
  }

  public enum Reason: Hashable, Sendable {
    /// There is no TLS with an `rtmps` ingest.
    case tls(TLSFailure)
    /// `getaddrinfo`'s words.
    case unknownHost(String)
    /// What each address answered to `connect`.
    case unreachable(String)
    /// Nothing came of `step` within the budget.
    case timedOut(RTMPStep, seconds: Double)
    /// The server hung up before `publish` was asked; `cause` is "end of file" or the system's words.
    case hungUp(RTMPStep, cause: String)
    /// The server hung up in answer to `publish`, which is how many refuse a key.
    case hungUpOnPublish(cause: String)
    case protocolViolation(ProtocolViolation)
    /// `connect` was refused: an unknown application, an address not allowed, a redirect.
    case connectRejected(ServerStatus)
    case createStreamRejected(ServerStatus)
    /// The stream name or its right to publish was refused.
    case keyRefused(ServerStatus)
    /// `NetStream.Publish.BadName`: somebody publishes under this name, maybe our own dead session.
    case nameInUse(ServerStatus)
    /// `publish` was refused for another reason.
    case publishRejected(ServerStatus)
    /// The server ended a stream that was being published.
    case unpublished(ServerStatus)
    /// A connection that was publishing broke; "end of file" or the system's words.
    case lost(String)
    /// A server owed a proof that it reads for this long.
    case stalled(seconds: Double)
    /// A tag longer than a message can be.
    case tagTooLong(bytes: Int)
  }

  public enum Category: Sendable, Hashable {
    /// Nobody answered at that address.
    case unreachable
    /// Somebody answered, and said no.
    case refused
    /// The key was refused, or most likely so.
    case keyRefused
    /// Somebody answered, and could not prove who it is.
    case untrusted
    /// Somebody answered, and spoke no RTMP, or no TLS.
    case protocolViolation
    /// It worked, then broke.
    case lost
    /// The ingest is not to blame: what was to be sent cannot be, or a setting here is wrong.
    case unsendable
  }
}

/// How far a session had come: what it waits for.
public enum RTMPStep: String, Sendable, Hashable {
  case resolving = "looking up its name"
  case connecting = "the TCP connection"
  case tls = "the TLS handshake"
  case handshake = "the handshake"
  case connect = "the answer to connect"
  case createStream = "the answer to createStream"
  case ready = "the word to publish"
  case publish = "the answer to publish"
  case publishing = "publishing"
}

/// What a server said in `onStatus` or `_error`, cleaned.
public struct ServerStatus: Hashable, Sendable {
  /// Such as `NetStream.Publish.BadName`; empty when none was given.
  public let code: String
  /// The server's own words; may be empty.
  public let text: String

  public init(code: String, text: String) {
    self.code = code
    self.text = text
  }
}

extension ServerStatus: CustomStringConvertible {
  /// Code and words in parentheses, or that there were none.
  public var description: String {
    switch (code.isEmpty, text.isEmpty) {
    case (true, true): "no reason given"
    case (true, false): text
    case (false, true): code
    case (false, false): "\(code): \(text)"
    }
  }
}

extension RTMPError {
  public var category: Category {
    switch reason {
    case .unknownHost, .unreachable, .timedOut: .unreachable
    case .tls(let failure): failure.category
    case .unpublished, .lost, .stalled, .hungUp(.ready, _): .lost
    case .hungUp, .connectRejected, .createStreamRejected, .nameInUse, .publishRejected: .refused
    case .hungUpOnPublish, .keyRefused: .keyRefused
    case .protocolViolation: .protocolViolation
    case .tagTooLong: .unsendable
    }
  }

  /// Whether the same try may succeed later without anybody changing anything. An end of file in
  /// answer to `publish` may: a dying or overloaded server looks the same as a wrong key.
  public var isRetryable: Bool {
    switch reason {
    case .keyRefused, .tagTooLong: false
    case .tls(let failure): failure.isRetryable
    case .connectRejected(let status): !status.code.hasSuffix(".InvalidApp")
    default: true
    }
  }
}

extension RTMPError: CustomStringConvertible {
  public var description: String {
    switch reason {
    case .tls(let failure):
      "no TLS with \(ingest): \(failure)"
    case .unknownHost(let words):
      "the name of \(ingest) was not found: \(words); check its spelling and this machine's DNS"
    case .unreachable(let answers):
      "\(ingest) cannot be reached: \(answers); check host, port and network"
    case .timedOut(.tls, let seconds):
      "\(ingest) kept us waiting for the TLS handshake longer than \(Self.shown(seconds)) s; "
        + "check that it speaks TLS on this port: is it rtmp:// instead?"
    case .timedOut(let step, let seconds):
      "\(ingest) kept us waiting for \(step.rawValue) longer than \(Self.shown(seconds)) s; "
        + "check host, port and network"
    case .hungUp(.ready, let cause):
      "\(ingest) hung up while it was kept ready (\(cause)); some servers close idle connections"
    case .hungUp(let step, let cause):
      "\(ingest) hung up where \(step.rawValue) was due (\(cause)); "
        + "check that an RTMP server listens there and knows the application"
    case .hungUpOnPublish(let cause):
      "\(ingest) refused to publish by hanging up (\(cause)), most often a wrong key; "
        + "check the stream key"
    case .protocolViolation(let violation):
      "\(ingest) does not speak RTMP as it should: \(violation); check host and port"
    case .tagTooLong(let bytes):
      "a tag of \(bytes) bytes does not fit into an RTMP message; lower the bit rate"
    default: publishDescription
    }
  }

  private var publishDescription: String {
    switch reason {
    case .connectRejected(let status):
      "\(ingest) refused the connection (\(status)); check the application in the URL"
    case .createStreamRejected(let status):
      "\(ingest) refused to create a stream (\(status)); look into the server's log"
    case .keyRefused(let status):
      "\(ingest) refused the stream key (\(status)); check the key and whether the stream has ended"
    case .nameInUse(let status):
      "\(ingest) says that this key is being published under (\(status)): by a session of ours that "
        + "it has not noticed to be over, or by another broadcast, which must be ended then"
    case .publishRejected(let status):
      "\(ingest) refused to publish (\(status)); look into the server's log"
    case .unpublished(let status):
      "\(ingest) ended the stream (\(status)); check whether somebody ended it there"
    case .lost(let cause):
      "\(ingest) was lost while publishing (\(cause)); check the network and the server"
    case .stalled(let seconds):
      "\(ingest) did not show for \(Self.shown(seconds)) s that it reads; check the network"
    default: "\(ingest) failed"  // all others have their sentence above
    }
  }

  /// Why a connection was lost, in a few words; the whole sentence where that is no such case.
  public var cause: String {
    switch reason {
    case .lost(let cause): cause
    case .stalled(let seconds): "it has not confirmed reading anything for \(Self.shown(seconds)) s"
    case .unpublished(let status): "\(status)"
    default: description
    }
  }

  /// Seconds with at most one decimal.
  private static func shown(_ seconds: Double) -> String {
    let tenths = (seconds * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }
}
