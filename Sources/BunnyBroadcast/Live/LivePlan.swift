public import BunnyStreamAPI

/// What is decided before a broadcast to a live stream of Bunny's begins.
public struct LivePlan: Sendable {
  /// What to do when the stream is over: ended or deleted from elsewhere, or failed.
  public enum OnEnded: String, Sendable, CaseIterable {
    /// The broadcast is over too.
    case exit
    /// Ask every 30 s whether a stream of that id can be published to again.
    case wait
    /// Make another one like it, and go on there.
    case create
  }

  /// The video library's id.
  public var libraryId: Int
  /// The stream's GUID; empty when it is yet to be made.
  public var streamId: String
  /// Make this stream first, and broadcast to it.
  public var creates: BunnyLiveStreamCreateRequest?
  /// Show the stream to viewers once it is ready; false leaves that to somebody else.
  public var startsStream = true
  /// Do not wait for a scheduled stream's time.
  public var startsNow = false
  /// What to do when the stream is over.
  public var onEnded = OnEnded.exit
  /// Between two looks at a stream that is over.
  package var lookPause = Duration.seconds(30)
  /// Publish although somebody else does.
  public var takesOver = false
  /// What to do about a call that may succeed later.
  public var retry = BroadcastConfiguration.Retry.always
  /// Where what is known of the stream outlives this process, the stream key too, in files of mode 0600;
  /// the stream is locked there against other broadcasts of this machine. At first the folder that the
  /// command line uses too: a service's `$STATE_DIRECTORY`, else `$XDG_STATE_HOME/bunny-broadcast`, else
  /// `~/.local/state/bunny-broadcast`. nil: nowhere, so that after a crash the stream counts as somebody
  /// else's until Bunny has noticed that, and a start needs the API.
  public var stateFolder = StateFolder.own

  /// For a stream that there is.
  public init(libraryId: Int, streamId: String) {
    self.libraryId = libraryId
    self.streamId = streamId
  }

  /// For a stream that is yet to be made.
  public init(libraryId: Int, creating request: BunnyLiveStreamCreateRequest) {
    self.init(libraryId: libraryId, streamId: "")
    creates = request
  }
}
