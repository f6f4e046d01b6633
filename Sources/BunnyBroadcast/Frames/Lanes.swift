import BunnyCapture
import BunnyMedia
import BunnyRTMP
import BunnySystem

/// The whole way of a frame, put together:
///
///     source ─ capture thread ─▶ Picture ─ video lane ─▶ Packet ─┐
///                                                              ├─ outlet ─▶ tag log ─ publish lane ─▶ ingest
///     source ─ capture thread ─▶ Samples ─ audio lane ─▶ Packet ─┘
struct Lanes: Sendable {
  let capture: Capture
  private let video: @Sendable () throws -> Void
  private let audio: @Sendable () throws -> Void
  private let publishing: [@Sendable () throws -> Void]
  private let events: EventHub
  private let bitrateWatch: BitrateWatch?
  private let memory: EffortWriter?

  /// By how much, in nanoseconds, a machine that is too busy may be late with one track before the
  /// other goes ahead: what waits in a mailbox, and the longest fill. Both tracks go on for ever, so
  /// nothing is waited for in vain.
  private static let longestDelay = FrameGrid.longestFill + .seconds(1)

  /// Opens sources and encoders. Blocks.
  ///
  /// - Parameter interrupter: makes opening and reading sources give up, from any thread.
  /// - Throws: ``BroadcastError``.
  init(
    _ configuration: BroadcastConfiguration, interrupter: Interrupter, isMuted: Flag, line: Line,
    book: AddressBook, telemetry: Telemetry, events: EventHub
  ) throws(BroadcastError) {
    let notice: @Sendable (String) -> Void = { events.send(.notice(message: $0)) }
    let settings = configuration.chosenSettings(notice)
    let sources = try Self.open(configuration, settings, interrupter, telemetry, events)
    let orders = EncodingOrders(settings)
    let processor = ProcessorWatch(
      settings, wish: configuration.wish, folder: configuration.stateFolder,
      orders: orders, tell: { events.send($0) })
    memory = processor.memory
    let encoders = try Encoders(configuration, settings, orders, notice)

    let log = TagLog()
    let wantsKeyframe = Flag()
    let frame = 1000 / settings.frameRate.value
    let outlet = Outlet(
      log: log, shift: Int64((Double(encoders.encoding.reorderDepth) * frame).rounded(.up)),
      longestHold: .milliseconds(Int64(Double(settings.mostFramesHeld) * frame))
        + Self.longestDelay)
    let origin = Mailbox<MonotonicTime>(capacity: 1)
    let limit = Limit(configuration.duration, settings.frameRate)
    capture = Capture(
      sources, configuration, slate: try Self.slate(configuration, settings),
      frame: settings.frameRate.reciprocal.convert(1, to: .nanoseconds), telemetry: telemetry,
      events: events)
    self.events = events
    telemetry.aims(at: settings.bitrate, because: nil)
    bitrateWatch =
      configuration.bitrate == .adaptive
      ? BitrateWatch(configuration, orders, outlet, telemetry, line, events) : nil

    let videoLane = VideoLane(
      pictures: capture.pictures, origin: origin,
      encoding: encoders.encoding, processing: configuration.processing,
      passthrough: Passthrough(
        width: settings.width, height: settings.height, bitrate: settings.bitrate),
      plea: KeyframePlea(after: .seconds(settings.keyframeSeconds)),
      askCamera: { [capture] in capture.wantKeyframe() },
      rate: settings.frameRate, frameLimit: limit.frames, outlet: outlet, telemetry: telemetry,
      wantsKeyframe: wantsKeyframe,
      watch: Self.watch(capture, configuration.vitals, telemetry, events), processor: processor,
      cannotShow: { [capture] in capture.cannotShow($0) }, notice: notice)
    let audioLane = AudioLane(
      samples: capture.samples, processing: configuration.soundProcessing, origin: origin,
      tolerance: sources.sound?.timeTolerance, encoder: encoders.audio, muxer: encoders.audioMuxer,
      sampleLimit: limit.samples, isMuted: isMuted,
      watch: Self.watch(sources.sound, configuration.vitals, telemetry, events),
      outlet: outlet, telemetry: telemetry, notice: notice)
    // Where a camera's own H.264 may come first, each header goes with its frames.
    let ownHeader =
      configuration.camera.passthrough ? [] : [encoders.encoding.header.rtmp]
    let headers =
      [.metadata(configuration.quality.metadata)] + ownHeader
      + [encoders.audioMuxer.sequenceHeader.rtmp]
    let publishLanes = zip(configuration.targets, line.inboxes).enumerated().map { lane, way in
      let telemetry = LaneTelemetry(whole: telemetry, lane: lane)
      let surroundings = TagFeed.Surroundings(
        log: log, headers: headers, telemetry: telemetry,
        stallLimit: .seconds(configuration.stallLimit),
        gop: Int64(settings.keyframeSeconds * 1000), wantsKeyframe: wantsKeyframe,
        onDrop: { frames, reason in
          telemetry.dropped(frames)
          events.send(.dropped(frames: frames, reason: reason))
        })
      return PublishLane(configuration, way.0, surroundings, line, book, way.1, events)
    }
    video = { [videoLane = Handover(videoLane)] in try videoLane.take().run() }
    audio = { [audioLane = Handover(audioLane)] in try audioLane.take().run() }
    publishing = publishLanes.map { lane in
      { [lane = Handover(lane)] in
        var lane = lane.take()
        try lane.run()
      }
    }
  }

  /// Runs both media lanes to their end.
  ///
  /// - Throws: ``SourceError`` also when a source has ended for good.
  func encode() async throws {
    defer { capture.stop() }
    try await withThrowingTaskGroup(of: Void.self) { lanes in
      lanes.addTask {
        try await onThread("video", turns: .shorter) { try stoppingOnFailure(video) }
      }
      lanes.addTask { try await onThread("audio", turns: .short) { try stoppingOnFailure(audio) } }
      try await lanes.waitForAll()
    }
    try capture.checkSources()
  }

  /// Runs the publish lanes to their end, which is also the end of the media.
  ///
  /// - Throws: why the first that ended failed, if all did.
  func publish() async throws {
    bitrateWatch?.start()
    defer {
      bitrateWatch?.stop()
      stop()
    }
    let results = await withTaskGroup(of: Result<Void, any Error>.self) { lanes in
      for lane in publishing {
        lanes.addTask {
          do {
            return .success(try await onThread("publishing", turns: .shortest, lane))
          } catch {
            if publishing.count > 1 {
              events.send(.notice(message: "\(error); the other ingest carries the stream alone"))
            }
            return .failure(error)
          }
        }
      }
      return await lanes.reduce(into: []) { $0.append($1) }
    }
    let hasEndedWell = results.contains { if case .success = $0 { true } else { false } }
    if !hasEndedWell { try results.first?.get() }
  }

  /// What is to be remembered of the media is written, once they have ended. A card that hangs holds nobody up
  /// for long.
  func remember() async {
    guard let memory else { return }
    let isWritten = try? await onThread("flush") { memory.flush(until: .now + .seconds(2)) }
    guard isWritten != true else { return }
    events.send(
      .detail(
        message: "which effort held is not written after 2 s; the next start may measure anew"))
  }

  /// No more media: the lanes flush their encoders and end.
  func stop() { capture.stop() }

  private func stoppingOnFailure(_ lane: () throws -> Void) throws {
    do { try lane() } catch {
      stop()
      throw error
    }
  }

  static func open(
    _ configuration: BroadcastConfiguration, _ settings: VideoEncoder.Settings,
    _ interrupter: Interrupter, _ telemetry: Telemetry,
    _ events: EventHub
  ) throws(BroadcastError) -> OpenSources {
    let notice: @Sendable (String) -> Void = { events.send(.notice(message: $0)) }
    if let sources = configuration.sources { return sources }
    do {
      let sources = try OpenSources(
        video: configuration.video, others: configuration.otherVideos,
        audio: configuration.audio, ownPictures: configuration.ownPictures,
        ownSound: configuration.ownSound, width: settings.width, height: settings.height,
        frameRate: settings.frameRate, bitrate: settings.bitrate, turn: configuration.turn,
        fill: configuration.fill, camera: configuration.camera, interrupter: interrupter,
        decodeError: { telemetry.count { $0.decodeErrors += 1 } },
        missedFrames: { missed in telemetry.count { $0.missedFrames += missed } },
        chosen: { events.send(.chosen(.camera, source: $0)) },
        chosenSound: { events.send(.chosen(.microphone, source: $0)) }, notice: notice)
      sources.notices.forEach(notice)
      return sources
    } catch {
      throw .source(error)
    }
  }

  static func slate(
    _ configuration: BroadcastConfiguration, _ settings: VideoEncoder.Settings
  ) throws(BroadcastError) -> Slate {
    do {
      return try Slate(configuration.slate, width: settings.width, height: settings.height)
    } catch {
      throw .source(error)
    }
  }
}

/// Both encoders, with what makes tags of their packets.
struct Encoders {
  let encoding: PictureEncoding
  let audio: AudioEncoder
  let audioMuxer: TagMuxer

  init(
    _ configuration: BroadcastConfiguration, _ settings: VideoEncoder.Settings,
    _ orders: EncodingOrders, _ notice: @escaping (String) -> Void
  ) throws(BroadcastError) {
    let quality = configuration.quality
    do {
      encoding = try PictureEncoding(
        settings, fill: configuration.fill, orders: orders, notice: notice)
      audio = try AudioEncoder(bitrate: quality.audioBitrate, coder: quality.encoder.aacCoder)
      audioMuxer = try TagMuxer(audio.parameters)
    } catch {
      throw .encoder(error)
    }
  }
}

/// Where the configured duration ends both tracks.
private struct Limit {
  let frames: Int64?
  let samples: Int64?

  init(_ duration: Duration?, _ rate: Timebase) {
    frames = duration.map { Timebase.nanoseconds.convert($0.nanoseconds, to: rate.reciprocal) }
    samples = frames.map {
      rate.reciprocal.convert($0, to: Timebase(1, Int32(broadcastSampleRate)))
    }
  }
}

extension BroadcastConfiguration {
  /// The ingests of each publish lane: a lane publishes to one at a time.
  var targets: [[Ingest]] {
    guard let backup else { return [[ingest]] }
    return redundancy == .dual ? [[ingest], [backup]] : [[ingest, backup]]
  }
}

/// Carries something that belongs to one thread to that thread.
/// Taken once, before anyone else looks.
private final class Handover<Content>: @unchecked Sendable {
  private let content: Content
  init(_ content: Content) { self.content = content }
  func take() -> Content { content }
}

extension VideoEncoder.Settings {
  /// How many pictures x264 holds back at most: its look-ahead, B-frames, and one for each of its
  /// frame threads, of which it makes one and a half for each core.
  fileprivate var mostFramesHeld: Int {
    let threads = threads > 0 ? threads : processorCount * 3 / 2 + 1
    return lookahead + bFrames + (slicedThreads ? 0 : threads) + 1
  }
}

extension MediaTag {
  fileprivate var rtmp: RTMPTag { RTMPTag(self, serial: -1) }
}

extension BroadcastQuality {
  /// `onMetaData`, with true values.
  fileprivate var metadata: [(String, AMF0Value)] {
    [
      ("width", .number(Double(resolution.width))),
      ("height", .number(Double(resolution.height))),
      ("framerate", .number(videoSettings.frameRate.value)),
      ("videocodecid", 7),  // H.264
      ("videodatarate", .number(Double(videoBitrate) / 1000)),
      ("audiocodecid", 10),  // AAC
      ("audiodatarate", .number(Double(audioBitrate) / 1000)),
      ("audiosamplerate", .number(Double(broadcastSampleRate))),
      ("audiosamplesize", 16),
      ("audiochannels", 2),
      ("stereo", true),
      ("encoder", .string("bunny-broadcast \(bunnyBroadcastVersion)")),
    ]
  }
}
