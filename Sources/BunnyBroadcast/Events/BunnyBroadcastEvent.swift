public import BunnyRTMP
public import BunnyStreamAPI
public import FoundationEssentials
import Glibc

/// What media does, as ``BroadcastStatistics/state`` says it.
enum MediaState: String, Sendable {
  /// Not begun, or over.
  case idle
  /// Nothing is sent yet, or any more: Bunny's API is asked, or a stream's time or another stream is awaited.
  case waiting
  /// Sources and encoder open; no ingest has accepted the stream yet.
  case preparing
  /// An ingest has accepted a live stream of Bunny's that viewers do not see yet, as far as is known.
  case preview
  /// Begun. Stays so while a lost ingest is tried again.
  case live
}

/// What happened, in order. `preparing`, `started`, `stopped`, `reconnecting`, `reconnectFailed`,
/// `ingestStatusChanged`, `failedOver` and `failed` are those of Bunny's SDKs; what the SDKs have no word
/// for is named here.
public enum BunnyBroadcastEvent: Sendable, Equatable {
  /// Sources and encoder are being opened.
  case preparing
  /// An ingest accepted a live stream of Bunny's (`NetStream.Publish.Start`), for the first time: viewers may
  /// not see it yet.
  case published(Ingest)
  /// Viewers can see it, from that ingest: of a live stream of Bunny's, once it runs and an ingest has it; of
  /// any other, once an ingest has accepted it.
  case started(Ingest)
  /// The broadcast is over.
  case stopped
  /// An ingest is about to be tried again. `attempt` counts from 1 since media last flowed.
  case reconnecting(attempt: Int, usingBackup: Bool, after: Duration, reason: String)
  /// Trying again was given up; ``stopped`` and ``failed(message:)`` follow. From a
  /// ``BunnyBroadcastController``.
  case reconnectFailed
  /// The stream goes to the other ingest; ``reconnecting(attempt:usingBackup:after:reason:)`` or
  /// ``reconnected(_:)`` follows. From a ``BunnyBroadcastController``.
  case failedOver(usingBackup: Bool)
  /// An ingest accepted the stream again.
  case reconnected(Ingest)
  /// Something failed that ends the broadcast, or that a person should know of.
  case failed(message: String)
  /// Worth a line in the log: a source that had to be helped, a setting that does nothing.
  case notice(message: String)
  /// Of interest to whoever looks for the cause of something.
  case detail(message: String)
  /// Which device is captured from, how, and why that one.
  case chosen(BroadcastDevice, source: String)
  /// A connection to an ingest has come this far: for logs.
  case connection(Ingest, RTMPConnectionState)
  /// The ingest's connection was lost.
  case lost(Ingest, reason: String)
  /// An ingest that should be ready to take over, or carry the stream, cannot be connected: another one
  /// carries it alone. Said once, until ``standbyBack(_:)``; it is tried again.
  case standbyLost(Ingest, reason: String)
  /// It is ready.
  case standbyBack(Ingest)
  /// The ingest that carried the stream and another one are silent, as if this machine's own uplink were
  /// down. What happens meanwhile is kept, as far as there is room; the first one that answers goes on.
  case uplinkLost
  /// The uplink is back.
  case uplinkBack
  /// The camera, or what else the picture comes from, delivers nothing, or is not there; the slate is
  /// shown. Said once, until ``cameraBack`` or ``cameraChanged(source:)``; it is tried again.
  case cameraLost(reason: String)
  /// It delivers: the slate is gone.
  case cameraBack
  /// Another of several cameras is on air; which one, as it was named.
  case cameraChanged(source: String)
  /// Another of several cameras was to be on air, and could not; what was on air stays. Of a spare it is
  /// said once, until a camera delivers again; it is tried again.
  case cameraNotChanged(source: String, reason: String)
  /// All that can be done about a lost camera from here was done, and a person has to see to it. Said once,
  /// until it delivers; it is tried again.
  case cameraNeedsHand(reason: String)
  /// The microphone, or what else the sound comes from, delivers nothing, or is not there; silence is
  /// sent. Said once, until ``microphoneBack``; it is tried again.
  case microphoneLost(reason: String)
  /// It delivers.
  case microphoneBack
  /// As ``cameraNeedsHand(reason:)``.
  case microphoneNeedsHand(reason: String)
  /// The camera's picture has been the same, to the bit, for so long; `reopens`: the camera is opened anew,
  /// once. Said once, until ``pictureMoves``.
  case pictureFrozen(for: Duration, reopens: Bool)
  /// It moves again.
  case pictureMoves
  /// The camera's picture has been of one colour for so long: `black`, or `blue (#0010f0)`. Said once,
  /// until ``pictureVaried``.
  case pictureBlack(for: Duration, colour: String)
  /// It has several colours.
  case pictureVaried
  /// The microphone has been as good as silent for so long; `reason` is what its card's mixer says of it.
  /// Said once, until ``soundHeard``.
  case soundSilent(for: Duration, reason: String?)
  /// There is sound again.
  case soundHeard
  /// The picture is encoded to another bit rate, in bit/s, because of what the network takes; `reason` is a
  /// sentence. Not told of what passes within seconds, as after a line that stood still.
  case bitrateChanged(from: Int, to: Int, reason: String)
  /// The processor cannot keep up with the pictures; `answer` is how they are encoded from now on, and
  /// `trouble` why the processor is slow, if that is known. Said once, until ``processorRecovered(_:answer:)``.
  case processorOverloaded(ProcessorLoad, answer: String, trouble: String?)
  /// It has kept up for a while, with every picture and all of it.
  case processorRecovered(ProcessorLoad, answer: String)
  /// Media was left out because a consumer of it was too far behind.
  case dropped(frames: Int, reason: String)
  /// Bunny's API told of the live stream; `resumes` when viewers see it already.
  case streamFound(title: String?, status: BunnyLiveStreamStatus, resumes: Bool)
  /// A live stream was made, which is the one that is broadcast to.
  case streamCreated(id: String, title: String)
  /// The stream is scheduled for that time, which is so far away by Bunny's clock; it is published to then.
  /// Said now and then.
  case awaitingStart(at: Date, after: Duration)
  /// The stream is over, and the broadcast is not: it waits, or makes another one.
  case streamOver(reason: String)
  /// Bunny's API is asked again, after so long, and why.
  case askingAgain(after: Duration, reason: String)
  /// Bunny's API has refused to show the stream to viewers, in a way that trying again will hardly help; media
  /// flows on, and it is tried again all the same. Said once for each reason.
  case startRefused(reason: String)
  /// What Bunny's ingests say has changed; nil is not known, which is not false.
  case ingestStatusChanged(primaryLive: Bool?, backupLive: Bool?)
  /// For 30 s now Bunny has not said that the stream is ready to start; it is published and asked on.
  /// `trouble` is why its API does not say, when it says nothing at all.
  case awaitingReady(trouble: String?)
  /// Viewers see the stream: it was started.
  case running
  /// The live stream is left as it is, running if it was: the next broadcast resumes it.
  case left(reason: String)
  /// The live stream has been ended for good.
  case streamEnded
  /// Every 3 s.
  case statistics(BroadcastStatistics)
  /// The last event, with the totals.
  case ended(BroadcastTotals, reason: String)
}

/// What is captured from.
public enum BroadcastDevice: String, Sendable, Codable {
  case camera, microphone
}

/// How a broadcast does, over the last few seconds and since its beginning.
public struct BroadcastStatistics: Sendable, Codable, Equatable {
  /// `idle`, `waiting`, `preparing`, `preview`, `live`.
  public var state = MediaState.idle.rawValue
  /// What is waited for, in words; nil: something is sent, or about to be.
  public var waitingFor: String?
  /// When that comes, by Bunny's clock, and how many seconds that is; nil: not known.
  public var waitingUntil: Date?
  /// Seconds; see ``waitingUntil``.
  public var waitingSeconds: Double?
  /// Seconds since ``BunnyBroadcastEvent/preparing``.
  public var elapsedSeconds = 0.0
  /// Frames a second that were encoded, over the last 3 s; before, since the beginning.
  public var framesPerSecond = 0.0
  /// Bit/s that left for the ingest, over the same time.
  public var bitrate = 0.0
  /// How long the oldest tag that is not sent has waited, in milliseconds; of two ingests at once, at
  /// the one that is less behind.
  public var queueAgeMs = 0.0
  /// Bit/s that are known to have arrived, over the same time as ``bitrate``.
  public var confirmedBitrate = 0.0
  /// Bit/s that the picture is encoded to now.
  public var targetBitrate = 0
  /// Why that is less than the quality's; nil: it is not.
  public var targetReason: String?
  /// How the picture is encoded now; nil: it is not, as where a camera's own H.264 is passed through.
  public var encoding: EncodingInUse?
  /// From a question to the ingest's answer, the last time, in milliseconds; nil: it answers none, or
  /// none was needed.
  public var roundTripMs: Double?
  /// Bytes that this machine's kernel holds because the ingest's has not acknowledged them.
  public var kernelQueueBytes = 0
  /// From a picture's arrival until its last byte was in the socket, encoding (also of the pictures
  /// before it) and interleaving left out, in milliseconds: half of the frames took less, 99 of 100.
  public var handlingP50Ms = 0.0
  /// 99 of 100 frames took less.
  public var handlingP99Ms = 0.0
  /// From a picture's capture, as the driver tells it, until its last byte was in the socket, over the same
  /// time as ``framesPerSecond``, in milliseconds: look-ahead, encoding and waiting included; half of the frames took less.
  public var latencyP50Ms = 0.0
  /// 99 of 100 frames took less.
  public var latencyP99Ms = 0.0
  /// How loud the left side of the source's sound was over the same time, muted or not; nil: none came.
  public var left: SoundLevel?
  /// The same of the right side.
  public var right: SoundLevel?
  /// How bright the source's picture was the last time, from black, 0, to white, 1; nil: none came.
  public var brightness: Double?
  /// Since the broadcast began.
  public var totals = BroadcastTotals()

  /// All zero: nothing has happened yet.
  public init() {}
}

/// How loud one side of the sound is, in dBFS: 0 is full scale, and -120 anything that is less.
public struct SoundLevel: Sendable, Codable, Equatable {
  /// The loudest sample.
  public var peak: Double
  /// The mean power, as the square root of the mean square; a sine at full scale has -3.
  public var rms: Double

  /// Both in dBFS.
  public init(peak: Double, rms: Double) { (self.peak, self.rms) = (peak, rms) }

  /// - Parameter amplitude: 1 is full scale.
  static func decibels(_ amplitude: Double) -> Double { max(-120, 20 * log10(amplitude)) }
}

/// What a broadcast did, counted.
public struct BroadcastTotals: Sendable, Codable, Equatable {
  /// Pictures that the source delivered, and slates.
  public var capturedFrames = 0
  /// Frames that were shown again because nothing new came in time.
  public var repeatedFrames = 0
  /// Pictures left out: they came too early for their place, too late, or faster than they could be
  /// encoded.
  public var skippedFrames = 0
  /// Frames that the camera itself left out, as its driver numbers them.
  public var missedFrames = 0
  /// Frames that were encoded, or passed on as the camera had coded them.
  public var encodedFrames = 0
  /// Encoded frames that no ingest got; of two at once, those that the one with more of them did not.
  public var droppedFrames = 0
  /// Frames whose last byte went to an ingest.
  public var publishedFrames = 0
  /// Sound filled in as silence, in samples at 48 kHz.
  public var filledSamples = 0
  /// Bytes sent to ingests, protocol included.
  public var bytes: Int64 = 0
  /// Times that an ingest accepted the stream.
  public var connections = 0
  /// Seconds during which an ingest had accepted the stream.
  public var liveSeconds = 0.0
  /// Packets of a source that could not be decoded, and pictures that could not be converted.
  public var decodeErrors = 0
  /// As in ``BroadcastStatistics``, over the whole broadcast.
  public var handlingP50Ms = 0.0
  /// 99 of 100 frames took less.
  public var handlingP99Ms = 0.0

  /// All zero.
  public init() {}
}
