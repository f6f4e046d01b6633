public import BunnyCapture
public import BunnyMedia
public import BunnyRTMP

/// Everything that is decided before a broadcast begins.
public struct BroadcastConfiguration: Sendable {
  /// What to do about a failure that may pass.
  public enum Retry: String, Sendable, CaseIterable {
    /// Try again: at once, then after 0.5 to 15 s, for ever.
    case always
    /// End the broadcast at the first failure.
    case never
  }

  /// Where to publish.
  public var ingest: Ingest
  /// Where to publish when ``ingest`` fails. Taken now; the publisher's failover will use it.
  public var backup: Ingest?
  /// Whom an `rtmps` ingest has to be vouched for by.
  public var tlsTrust = TLSTrust.system
  public var video: VideoInput
  public var audio: AudioInput
  public var quality: BroadcastQuality
  /// How a picture of another shape fills the frame.
  public var fill = PictureFit.Fill.letterbox
  public var retry = Retry.always
  /// How long to broadcast, from the first frame; nil until ``Broadcast/stop()``.
  public var duration: Duration?
  /// Sound begins muted.
  public var isMuted = false
  /// Milliseconds added to every timestamp that is sent, so that a test need not wait 25 days for
  /// them to pass 2^31.
  public var timestampBase: Int64 = 0

  public init(
    ingest: Ingest, video: VideoInput = .automatic, audio: AudioInput = .automatic,
    quality: BroadcastQuality = .default
  ) {
    self.ingest = ingest
    self.video = video
    self.audio = audio
    self.quality = quality
  }
}
