package import BunnyBroadcast
package import BunnyRTMP

/// One line of `--events json`: an object with these keys, then those of its event, all flat.
///
/// | key | |
/// | --- | --- |
/// | `v` | 1: the version of this format. Keys may be added without a new one |
/// | `at` | when, ISO 8601 in UTC, with milliseconds |
/// | `monotonicMs` | when, by `CLOCK_MONOTONIC` |
/// | `event` | its name |
///
/// Times that last are milliseconds, in keys that end in `Ms`; rates are bit/s; an ingest is its URL
/// without the key. The events, in the order they may be met:
///
/// | event | keys |
/// | --- | --- |
/// | `begin` | `version`, `ingest` and `backup`, each or null, `stream`: the live stream's GUID or null, `video`, `otherVideos`, `audio`, `width`, `height`, `frameRate`, `videoBitrate`, `audioBitrate`, `isMuted`. Always the first |
/// | `preparing` | |
/// | `connection` | `ingest`; `state`: `connecting`, `handshaking`, `connected`, `ready`, `publishing` or `closed` |
/// | `published` | a live stream of Bunny's, which viewers may not see yet: `ingest`, which accepted it |
/// | `started` | viewers can see it: `ingest` |
/// | `reconnected` | `ingest`, which accepted the stream again |
/// | `statistics` | every 3 s, also while waiting: `state`, `elapsedMs`, `waitingFor`: what is waited for, or null, `waitingMs`: how long yet, or null, `framesPerSecond`, `bitrate`, `confirmedBitrate` (known to have arrived), `targetBitrate` of the picture, `targetReason` why it is less than the quality's, or null, `encodedWidth`, `encodedHeight`, `encodedFrameRate`, `encoder`, `effort`: how the picture is encoded now (null: passed through), `queueAgeMs`, `roundTripMs` or null, `kernelQueueBytes`, `handlingP50Ms`, `handlingP99Ms`, `latencyP50Ms`, `latencyP99Ms` (from a picture's capture to its last byte in the socket), the source's levels, the totals, `eventsLost` |
/// | `muted` | `isMuted` |
/// | `streamCreated` | a live stream was made, which is broadcast to: `stream`, its GUID, `title` |
/// | `awaitingStart` | the stream is scheduled, and waited for: `beginsAt`, `inMs` |
/// | `streamOver` | the stream is over, and the broadcast goes on without it: `reason` |
/// | `streamFound` | `title` or null, `status` as Bunny's API told it, `resumes`: viewers see it already |
/// | `askingAgain` | Bunny's API is asked again: `afterMs`, `reason` |
/// | `startRefused` | Bunny's API refuses to show the stream to viewers, said once for each `reason`; tried again all the same |
/// | `running` | viewers see the stream: it was started |
/// | `ingestStatusChanged` | what Bunny's ingests say: `primaryLive`, `backupLive`, each may be null |
/// | `awaitingReady` | after 30 s without "ready": `trouble`, why the API says nothing at all, or null |
/// | `left` | the stream is left as it is, running if it was: `reason` |
/// | `streamEnded` | the stream has been ended for good |
/// | `chosen` | which device is captured from, and why: `device`: `camera` or `microphone`, `source` |
/// | `notice`, `detail`, `failed` | `message`; `detail` is for whoever looks for the cause of something |
/// | `lost` | `ingest`, `reason` |
/// | `failedOver` | the stream goes to the other ingest: `usingBackup` |
/// | `reconnectFailed` | trying again was given up |
/// | `reconnecting` | `attempt` from 1, `usingBackup`, `afterMs`, `reason` |
/// | `standbyLost` | the other ingest, while one carries the stream, cannot be connected: `ingest`, `reason` |
/// | `standbyBack` | it is ready: `ingest` |
/// | `uplinkLost`, `uplinkBack` | no ingest answers, and one does again |
/// | `cameraLost`, `microphoneLost` | slate or silence is sent instead, what is missing is tried again: `reason` |
/// | `cameraBack`, `microphoneBack` | it delivers |
/// | `cameraChanged` | another camera is on air: `source`, as `--video` names it |
/// | `cameraNotChanged` | another camera could not be put on air: `source`, `reason` |
/// | `cameraNeedsHand`, `microphoneNeedsHand` | what is lost does not come back by itself: `reason` |
/// | `pictureFrozen` | the camera's picture stays the same: `forMs`, `reopens`: the camera is opened anew |
/// | `pictureMoves` | it is not frozen any more |
/// | `pictureBlack` | the camera's picture is of one colour: `forMs`, `colour`: `black`, or as in `blue (#0010f0)` |
/// | `pictureVaried` | it has several again |
/// | `soundSilent` | the microphone is silent: `forMs`, `reason`: what its mixer says of it, or null |
/// | `soundHeard` | it is not silent any more |
/// | `bitrateChanged` | the picture's bit rate follows the network: `from`, `to`, `reason` |
/// | `processorOverloaded` | pictures come faster than they are encoded: `pictureMs` (what one takes), `frameMs` (until the next one), `usedProcessors`, `freeProcessors`, `processors`, `answer`: how it is encoded from now on, `trouble`: why the processor is slow, or null |
/// | `processorRecovered` | it keeps up again: the same but for `trouble` |
/// | `dropped` | `frames`, `reason` |
/// | `stopped` | |
/// | `ended` | `reason`, `exitCode`, the totals, `handlingP50Ms`, `handlingP99Ms`, `eventsLost`. Always the last |
///
/// The levels are `peakLeft`, `peakRight`, `rmsLeft`, `rmsRight` in dBFS, down to -120, and `brightness` from
/// 0 to 1; null where nothing came.
///
/// The totals are those of ``BroadcastTotals`` by their names there, but `liveMs`. `eventsLost` counts
/// the lines that a reader has missed since the beginning, because it was too slow or writing failed.
package struct EventLine: Equatable, Sendable {
  package let event: String
  package let fields: [JSONValue.Member]

  package init(_ event: String, _ fields: [JSONValue.Member] = []) {
    self.event = event
    self.fields = fields
  }

  /// Ends with a line break.
  package func text(at moment: Moment) -> String {
    let head: [JSONValue.Member] = [
      .init("v", .integer(1)), .init("at", .string(moment.iso8601)),
      .init("monotonicMs", .integer(moment.monotonicMs)), .init("event", .string(event)),
    ]
    return JSONValue.object(head + fields).line + "\n"
  }

  /// Name and fields, for a log.
  package var summary: String { "\(event) \(JSONValue.object(fields).line)" }

  /// What is going to be broadcast, and by which version.
  ///
  /// - Parameter ingests: primary and backup; nil while Bunny's API has not told them.
  package static func begin(
    _ options: PublishOptions, _ quality: BroadcastQuality,
    ingests: (primary: Ingest, backup: Ingest?)?
  ) -> EventLine {
    EventLine(
      "begin",
      [
        .init("version", .string(bunnyBroadcastVersion)),
        .init("ingest", ingests.map { .string("\($0.primary)") } ?? .null),
        .init("backup", ingests?.backup.map { .string("\($0)") } ?? .null),
        .init("stream", stream(of: options).map { .string($0) } ?? .null),
        .init("video", .string(options.videoText)),
        .init("otherVideos", .array(options.otherVideos.map { .string("\($0)") })),
        .init("audio", .string(options.audioText)),
        .init("width", .integer(quality.resolution.width)),
        .init("height", .integer(quality.resolution.height)),
        .init("frameRate", .number(quality.frameRate)),
        .init("videoBitrate", .integer(quality.videoBitrate)),
        .init("audioBitrate", .integer(quality.audioBitrate)),
        .init("isMuted", .bool(options.isMuted)),
      ])
  }

  private static func stream(of options: PublishOptions) -> String? {
    options.live.flatMap { $0.streamId.isEmpty ? nil : $0.streamId }
  }

  package static func muted(_ isMuted: Bool) -> EventLine {
    EventLine("muted", [.init("isMuted", .bool(isMuted))])
  }

  package static func ended(
    _ totals: BroadcastTotals, reason: String, exitCode: ExitCode, eventsLost: Int
  ) -> EventLine {
    EventLine(
      "ended",
      [.init("reason", .string(reason)), .init("exitCode", .integer(exitCode.rawValue))]
        + Self.fields(totals)
        + Self.handling(totals.handlingP50Ms, totals.handlingP99Ms) + [
          .init("eventsLost", .integer(eventsLost))
        ])
  }

  /// nil for `ended`, which waits for the exit code.
  package init?(_ event: BunnyBroadcastEvent, eventsLost: Int) {
    switch event {
    case .preparing: self.init("preparing")
    case .published(let ingest): self.init("published", [.init("ingest", .string("\(ingest)"))])
    case .started(let ingest): self.init("started", [.init("ingest", .string("\(ingest)"))])
    case .stopped: self.init("stopped")
    case .reconnecting(let attempt, let usingBackup, let delay, let reason):
      self.init(
        "reconnecting",
        [
          .init("attempt", .integer(attempt)), .init("usingBackup", .bool(usingBackup)),
          .init("afterMs", .integer(Int64(delay.inMilliseconds.rounded()))),
          .init("reason", .string(reason)),
        ])
    case .reconnectFailed: self.init("reconnectFailed")
    case .failedOver(let usingBackup):
      self.init("failedOver", [.init("usingBackup", .bool(usingBackup))])
    case .reconnected(let ingest):
      self.init("reconnected", [.init("ingest", .string("\(ingest)"))])
    case .failed(let message): self.init("failed", [.init("message", .string(message))])
    case .notice(let message): self.init("notice", [.init("message", .string(message))])
    case .detail(let message): self.init("detail", [.init("message", .string(message))])
    case .processorOverloaded(let load, let answer, let trouble):
      self.init(
        "processorOverloaded",
        Self.fields(load, answer) + [.init("trouble", trouble.map { .string($0) } ?? .null)])
    case .processorRecovered(let load, let answer):
      self.init("processorRecovered", Self.fields(load, answer))
    case .chosen(let device, let source):
      self.init(
        "chosen", [.init("device", .string(device.rawValue)), .init("source", .string(source))])
    case .connection(let ingest, let state):
      self.init(
        "connection", [.init("ingest", .string("\(ingest)")), .init("state", .string("\(state)"))])
    case .lost(let ingest, let reason):
      self.init("lost", [.init("ingest", .string("\(ingest)")), .init("reason", .string(reason))])
    case .standbyLost(let ingest, let reason):
      self.init(
        "standbyLost", [.init("ingest", .string("\(ingest)")), .init("reason", .string(reason))])
    case .standbyBack(let ingest):
      self.init("standbyBack", [.init("ingest", .string("\(ingest)"))])
    case .uplinkLost: self.init("uplinkLost")
    case .uplinkBack: self.init("uplinkBack")
    case .cameraLost(let reason): self.init("cameraLost", [.init("reason", .string(reason))])
    case .cameraBack: self.init("cameraBack")
    case .microphoneLost(let reason):
      self.init("microphoneLost", [.init("reason", .string(reason))])
    case .microphoneBack: self.init("microphoneBack")
    case .cameraChanged(let source):
      self.init("cameraChanged", [.init("source", .string(source))])
    case .cameraNotChanged(let source, let reason):
      self.init(
        "cameraNotChanged",
        [.init("source", .string(source)), .init("reason", .string(reason))])
    case .cameraNeedsHand(let reason):
      self.init("cameraNeedsHand", [.init("reason", .string(reason))])
    case .microphoneNeedsHand(let reason):
      self.init("microphoneNeedsHand", [.init("reason", .string(reason))])
    case .pictureFrozen(let time, let reopens):
      self.init("pictureFrozen", [Self.lasting(time), .init("reopens", .bool(reopens))])
    case .pictureMoves: self.init("pictureMoves")
    case .pictureBlack(let time, let colour):
      self.init("pictureBlack", [Self.lasting(time), .init("colour", .string(colour))])
    case .pictureVaried: self.init("pictureVaried")
    case .soundSilent(let time, let reason):
      self.init(
        "soundSilent", [Self.lasting(time), .init("reason", reason.map { .string($0) } ?? .null)])
    case .soundHeard: self.init("soundHeard")
    case .bitrateChanged(let from, let to, let reason):
      self.init(
        "bitrateChanged",
        [
          .init("from", .integer(from)), .init("to", .integer(to)),
          .init("reason", .string(reason)),
        ])
    case .dropped(let frames, let reason):
      self.init("dropped", [.init("frames", .integer(frames)), .init("reason", .string(reason))])
    case .streamFound, .streamCreated, .awaitingStart, .streamOver, .askingAgain,
      .startRefused, .ingestStatusChanged, .awaitingReady, .running, .left, .streamEnded:
      self.init(ofStream: event)
    case .statistics(let statistics):
      self.init(
        "statistics", Self.fields(statistics) + [.init("eventsLost", .integer(eventsLost))])
    case .ended: return nil
    }
  }
}
