public import BunnyRTMP
public import BunnySystem

/// What one connection brought to a ``ScriptedIngest``.
public struct IngestVisit: Sendable {
  /// A media or data message.
  public struct Tag: Sendable {
    public let kind: RTMPTag.Kind
    /// Milliseconds, unwrapped: runs on beyond 2^32 from wherever the first one was.
    public let timestamp: Int64
    public let body: SharedBytes
    public let streamID: UInt32
    /// When its last byte had been read.
    public let arrival: MonotonicTime

    /// The same as what a feed gives.
    public var tag: RTMPTag { RTMPTag(kind: kind, timestamp: timestamp, body: body) }
  }

  /// A command, in AMF0.
  public struct Command: Sendable {
    public let name: String
    public let transaction: Double
    public let arguments: [AMF0Value]
    public let streamID: UInt32
  }

  public internal(set) var commands: [Command] = []
  /// All audio, video and data, in the order of arrival.
  public internal(set) var tags: [Tag] = []
  /// What `@setDataFrame onMetaData` set last.
  public internal(set) var metadata: AMF0Object?
  /// The stamps of the client's answers to pings.
  public internal(set) var pongs: [UInt32] = []
  /// The counts of the client's acknowledgements.
  public internal(set) var acknowledgements: [UInt32] = []
  /// What the client asked to be acknowledged.
  public internal(set) var clientWindow: UInt32?
  public internal(set) var clientChunkSize: UInt32?
  public internal(set) var bytesReceived: Int64 = 0
  /// Its TLS session began where an earlier one left off.
  public internal(set) var isTLSResumed = false
  /// `NetStream.Publish.Start` was sent.
  public internal(set) var isPublishing = false
  /// The bytes of the client that broke a rule.
  public internal(set) var violation: String?
  /// Either side has ended the connection; how, when it was the client.
  public internal(set) var isOver = false
  public internal(set) var endedAt: MonotonicTime?
  /// The faults that have happened.
  public internal(set) var faultsDone = 0

  public var commandNames: [String] { commands.map(\.name) }
  /// Audio and video without sequence headers.
  public var media: [Tag] { tags.filter { $0.kind != .data && !$0.tag.isSequenceHeader } }

  /// Takes in what is new; its tags come after those that are here.
  mutating func take(_ news: IngestVisit) {
    var all: [Tag] = []
    swap(&all, &tags)  // moved out and back, so that appending does not copy them
    all += news.tags
    self = news
    tags = all
  }
}
