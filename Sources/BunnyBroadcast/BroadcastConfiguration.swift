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

  /// What the backup ingest is for.
  public enum Redundancy: String, Sendable, CaseIterable {
    /// It is kept connected up to, not including, `publish`, and takes over at once.
    case failover
    /// It is connected when it is needed.
    case cold
    /// Both carry the stream, from one encoding, at twice the uplink; neither waits for the other.
    case dual
  }

  /// What another ingest is sent when it takes over.
  public enum Replay: String, Sendable, CaseIterable {
    /// What is not known to have arrived; before it, squeezed to 1 ms a frame, what decoders need.
    case squeezed
    /// The same, and what decoders need at the times it had, sound too: for servers that merge what
    /// both ingests get by timestamp.
    case plain
    /// Nothing: it begins with a new keyframe, and what was under way is lost.
    case none
  }

  /// What becomes of the picture's bit rate when the network takes less.
  public enum Bitrate: String, Sendable, CaseIterable {
    /// It follows the network: from the quality's down to 15 % of that or 300 kbit/s, whichever is more;
    /// below a third the frame rate is halved, then the picture made smaller. The sound is not touched.
    case adaptive
    /// It stays the quality's; what the network does not take in time is left out.
    case fixed
  }

  /// How long pictures may stay in the encoder.
  public enum Latency: String, Sendable, CaseIterable {
    /// As long as the quality's look-ahead says, by default a third of a second.
    case normal
    /// Each comes out before the next goes in: no look-ahead, no B-frames.
    case low
  }

  /// Where to publish.
  public var ingest: Ingest
  /// Where to publish when ``ingest`` fails.
  public var backup: Ingest?
  /// What ``backup`` is for.
  public var redundancy = Redundancy.failover
  /// The primary carries the stream again once it has been ready for a minute, at most once in ten.
  public var prefersPrimary = false
  /// What an ingest is sent first when it takes over.
  public var replay = Replay.squeezed
  /// Seconds for which an ingest may owe a proof that it reads what it is sent, before it is left; 0.2
  /// or more.
  public var stallLimit = 1.5
  /// Whom an `rtmps` ingest has to be vouched for by.
  public var tlsTrust = TLSTrust.system
  /// Where the picture comes from.
  public var video: VideoInput
  /// What the picture goes on to with ``Broadcast/rotateCamera()``, in this order; after the last one
  /// comes ``video`` again. Only one of them is open at a time.
  public var otherVideos: [VideoInput] = []
  /// What to do when the one on air is lost.
  public var onCameraLoss = CameraLoss.wait
  /// A camera or microphone that is not helped by opening it again is reset on its USB bus. Takes the
  /// right to write to its node in `/dev/bus/usb`.
  public var resetsUSB = false
  /// Where the sound comes from.
  public var audio: AudioInput
  /// A program's own pictures in place of ``video``: makes their source, anew each time that it is opened,
  /// on any thread. `PictureFeed.source()` is one.
  public var ownPictures: (@Sendable () -> any PictureSource)?
  /// A program's own sound in place of ``audio``, likewise. `SampleFeed.source()` is one.
  public var ownSound: (@Sendable () -> any SampleSource)?
  /// A program's own step between capture and encoder: is called once, on the thread that encodes, and
  /// makes what each picture goes through there; not the slate, nor a camera's own H.264 that is passed on.
  ///
  /// That is given pictures in the broadcast's form (`yuv420p`, its size, which may become smaller), and
  /// returns others of the same size, made with a `PicturePool` of its own. What it takes counts as work
  /// on the picture: one that is too slow is answered like an encoder that is.
  public var processing: (@Sendable () -> (Picture) -> Picture)?
  /// The same for sound: what it makes is called once, on the thread that encodes sound, with each run of it
  /// in the broadcast's form (48 kHz, two channels, see `Samples.withChannel`), and returns one as long and of
  /// the same time, made with a `SamplesPool` of its own. Silence that is filled in does not go through
  /// there.
  public var soundProcessing: (@Sendable () -> (Samples) -> Samples)?
  /// How the cameras are to be used, where ``video`` and ``otherVideos`` are some.
  public var camera = CameraSettings()
  /// Size, frame rate, bit rates, and how to encode. Checked when a broadcast begins.
  public var quality: BroadcastQuality
  /// What becomes of the bit rate when the network takes less.
  public var bitrate = Bitrate.adaptive
  /// How much of the processor the encoder may take. nil: what the quality's preset takes, and where it
  /// names none, as much as leaves a third of the processor free. Whatever it is, less is taken when
  /// the processor cannot keep up.
  public var cpu: EncoderEffort?
  /// How long pictures may stay in the encoder.
  public var latency = Latency.normal
  /// What encodes; nil: x264, unless the processor will hardly do and there is one in hardware that works.
  public var encoder: VideoEncoder.Kind?
  /// Where the effort that held is remembered for the next start, in a file; nil: nowhere. What is remembered
  /// of a live stream is ``LivePlan/stateFolder``'s.
  public var stateFolder: String?
  /// What is shown while there is no picture.
  public var slate = Slate.Choice.standard
  /// When a picture or sound that flows counts as dead.
  public var vitals = VitalLimits()
  /// How a picture of another shape fills the frame.
  public var fill = PictureFit.Fill.letterbox
  /// How every picture is turned, whatever it comes from; the slate is not.
  public var turn = PictureTurn.none
  /// What to do about a failure that may pass.
  public var retry = Retry.always
  /// How long to broadcast, from the first frame; nil until ``Broadcast/stop(reason:)``.
  public var duration: Duration?
  /// Sound begins muted.
  public var isMuted = false
  /// Milliseconds added to every timestamp that is sent, so that a test need not wait 25 days for
  /// them to pass 2^31.
  package var timestampBase: Int64 = 0

  /// Taken in place of what ``video`` and ``audio`` name.
  package var sources: OpenSources?

  /// Everything else as above: it can be set before the broadcast begins.
  ///
  /// - Parameters:
  ///   - ingest: where to publish; ``bunny(video:audio:quality:)`` is for those that Bunny's API tells.
  ///   - video: by default the camera that suits the quality best.
  ///   - audio: by default what belongs to the picture, else the first microphone, else silence.
  ///   - quality: by default 1080p30.
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

extension BroadcastConfiguration {
  /// For a live stream of Bunny's, whose ingests its API tells later.
  public static func bunny(
    video: VideoInput = .automatic, audio: AudioInput = .automatic,
    quality: BroadcastQuality = .default
  ) -> Self {
    Self(ingest: .bunnyToldLater, video: video, audio: audio, quality: quality)
  }

  /// Where the picture comes from, in words.
  var pictureName: String { ownPictures == nil ? "\(video)" : ownPicturesName }
  var soundName: String { ownSound == nil ? "\(audio)" : "the program's own sound" }
}

extension Ingest {
  /// Stands for one that is not known yet; nothing is ever published there.
  fileprivate static let bunnyToldLater = try! Ingest(bunnyPrimary, streamName: "told-later")
}
