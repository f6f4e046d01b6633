import BunnyMedia
import BunnyRTMP
public import FoundationEssentials
import Synchronization

/// Everything of a ``BunnyBroadcastController`` at one moment, to be shown, logged or sent away as JSON.
/// Holds no secret.
public struct BunnyBroadcastSnapshot: Sendable, Codable, Equatable {
  /// The picture and sound that are aimed at.
  public struct Quality: Sendable, Codable, Equatable {
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// Pictures a second.
    public var frameRate: Double
    /// Bit/s.
    public var videoBitrate: Int
    /// Bit/s.
    public var audioBitrate: Int
  }

  /// What is captured from, and what is wrong with it.
  public struct Device: Sendable, Codable, Equatable {
    /// As the configuration names it.
    public var name: String
    /// Which device that came to, and why; nil: not known yet, or not chosen.
    public var chosen: String?
    /// Why it delivers nothing; nil: it does, as far as is known.
    public var trouble: String?
  }

  /// What encodes the picture.
  public struct Encoder: Sendable, Codable, Equatable {
    /// FFmpeg's name of what was asked for; nil: it is chosen when it is opened.
    public var name: String?
    /// Bit/s that the picture is encoded to now.
    public var targetBitrate: Int
    /// Why that is less than the quality's; nil: it is not.
    public var targetReason: String?
    /// How the encoder meets a processor that is too slow; nil: it need not.
    public var relief: String?
  }

  /// The broadcast's id, as in its ``BunnyBroadcastRecord``s.
  public var broadcast: UUID
  /// ``BunnyBroadcastState/name``.
  public var state: String
  /// ``BunnyBroadcastState/detail``.
  public var detail: String?
  /// The live stream's GUID and title; nil: there is none, or Bunny has not told.
  public var stream: String?
  /// See ``stream``.
  public var title: String?
  /// Since when it has been in that state, by the wall clock; nil: always.
  public var since: Date?
  /// The ingest that carries the stream, or did last, without its key.
  public var ingest: String?
  /// What Bunny says of its ingests; nil, which is not false, where it says nothing.
  public var primaryIngestLive: Bool?
  /// As ``primaryIngestLive``.
  public var backupIngestLive: Bool?
  /// Silence is sent in place of sound.
  public var isMuted: Bool
  /// What is aimed at; what is encoded now may be less: see ``encoder``.
  public var quality: Quality
  /// Where the picture comes from.
  public var camera: Device
  /// Where the sound comes from.
  public var microphone: Device
  /// What encodes the picture.
  public var encoder: Encoder
  /// Why the last broadcast failed, or what else failed last.
  public var lastError: String?
  /// How it does, and what it has done.
  public var statistics: BroadcastStatistics
}

/// What a snapshot gathers from the events of one broadcast.
struct SnapshotFacts: Sendable {
  private(set) var ingest: String?
  private(set) var chosen: [BroadcastDevice: String] = [:]
  private(set) var camera: String?
  private(set) var cameraTrouble: String?
  private(set) var microphoneTrouble: String?
  private(set) var relief: String?
  private(set) var lastError: String?
  private var state = ""
  private(set) var since: Date?

  mutating func note(_ record: BunnyBroadcastRecord) {
    switch record.event {
    case .published(let ingest), .started(let ingest), .reconnected(let ingest):
      self.ingest = "\(ingest)"
    case .connection(let ingest, .publishing): self.ingest = "\(ingest)"
    case .chosen(let device, let source): chosen[device] = source
    case .cameraChanged(let source): (camera, cameraTrouble) = (source, nil)
    case .cameraLost(let reason), .cameraNeedsHand(let reason): cameraTrouble = reason
    case .cameraBack: cameraTrouble = nil
    case .microphoneLost(let reason), .microphoneNeedsHand(let reason): microphoneTrouble = reason
    case .microphoneBack: microphoneTrouble = nil
    case .processorOverloaded(_, let answer, _): relief = answer
    case .processorRecovered: relief = nil
    case .failed(let message), .lost(_, let message): lastError = message
    default: break
    }
  }

  /// - Parameter state: its name, from then on.
  mutating func isNow(_ state: String, at date: Date) {
    guard state != self.state else { return }
    (self.state, since) = (state, date)
  }
}

extension ControllerCore {
  package var statistics: BroadcastStatistics {
    let (engine, last) = state.withLock { ($0.engine, $0.lastStatistics) }
    return engine?.statistics ?? last
  }

  package var snapshot: BunnyBroadcastSnapshot {
    let now = state.withLock { $0 }
    let (rules, facts, quality) = (now.rules, now.facts, configuration.quality)
    let statistics = now.engine?.statistics ?? now.lastStatistics
    let stream = now.engine.map { $0.stream } ?? now.lastStream
    return BunnyBroadcastSnapshot(
      broadcast: now.broadcast, state: rules.state.name, detail: rules.state.detail,
      stream: stream?.id, title: stream?.title,
      since: facts.since, ingest: facts.ingest, primaryIngestLive: rules.primaryLive,
      backupIngestLive: rules.backupLive, isMuted: rules.isMuted,
      quality: .init(
        width: quality.resolution.width, height: quality.resolution.height,
        frameRate: quality.frameRate, videoBitrate: quality.videoBitrate,
        audioBitrate: quality.audioBitrate),
      camera: .init(
        name: facts.camera ?? configuration.pictureName, chosen: facts.chosen[.camera],
        trouble: facts.cameraTrouble),
      microphone: .init(
        name: configuration.soundName, chosen: facts.chosen[.microphone],
        trouble: facts.microphoneTrouble),
      encoder: .init(
        name: configuration.encoder?.rawValue, targetBitrate: statistics.targetBitrate,
        targetReason: statistics.targetReason, relief: facts.relief),
      lastError: facts.lastError, statistics: statistics)
  }
}
