import BunnyStreamAPI

/// What an event says in the log.
package enum LogText {
  package static func of(_ event: BunnyBroadcastEvent) -> (level: LogLevel, sentence: String) {
    switch event {
    case .preparing: (.info, "opening the sources and the ingest")
    case .published(let ingest): (.info, "publishing to \(ingest)")
    case .started(let ingest): (.info, "live at \(ingest)")
    case .stopped: (.debug, "media has stopped")
    case .reconnecting(let attempt, let usingBackup, let delay, let reason):
      (  // the first try at once goes without saying
        attempt == 1 && delay < Self.now ? .debug : .warning,
        "trying \(usingBackup ? "the backup ingest" : "the ingest") "
          + "\(inTime(delay)) (attempt \(attempt)): \(reason)"
      )
    case .reconnectFailed: (.error, "no ingest takes the stream, and trying again was given up")
    case .failedOver(let usingBackup):
      (.warning, "going over to the \(usingBackup ? "backup" : "primary") ingest")
    case .reconnected(let ingest): (.info, "live again at \(ingest)")
    case .failed(let message): (.error, message)
    case .notice(let message): (.warning, message)
    case .detail(let message): (.debug, message)
    case .processorOverloaded(let load, let answer, let trouble):
      (
        .warning,
        "the processor cannot keep up: a picture takes \(fixed(load.pictureMs, 1)) ms, and there are "
          + "\(fixed(load.frameMs, 1)); of \(fixed(load.processors, 1)) processors this program uses "
          + "\(fixed(load.used, 1)), and \(fixed(load.free, 1)) are free"
          + (trouble.map { "; \($0)" } ?? "") + "; from now on: \(answer)"
      )
    case .processorRecovered(_, let answer):
      (.info, "the processor keeps up again: \(answer)")
    case .chosen(_, let source): (.info, source)
    case .connection(let ingest, let state): (.debug, "connection to \(ingest): \(state)")
    case .lost(let ingest, let reason): (.warning, "lost \(ingest): \(reason)")
    case .standbyLost(let ingest, let reason):
      (.warning, "nothing stands by: \(ingest) is tried again and again (\(reason))")
    case .standbyBack(let ingest): (.info, "\(ingest) stands by")
    case .uplinkLost:
      (.warning, "no ingest answers, as if this machine's uplink were down; waiting for any")
    case .uplinkBack: (.info, "an ingest answers again")
    case .cameraLost(let reason): (.warning, "no picture: \(reason)")
    case .cameraBack: (.info, "the picture is back")
    case .microphoneLost(let reason): (.warning, "no sound: \(reason)")
    case .microphoneBack: (.info, "the sound is back")
    case .cameraChanged(let source): (.info, "the picture comes from \(source) now")
    case .cameraNotChanged(let source, let reason):
      (.warning, "the picture cannot come from \(source): \(reason)")
    case .cameraNeedsHand(let reason): (.warning, "the picture does not come back: \(reason)")
    case .microphoneNeedsHand(let reason): (.warning, "the sound does not come back: \(reason)")
    case .pictureFrozen(let time, let reopens):
      (
        .warning,
        "the picture is frozen: it has been the same for \(seconds(time)) s"
          + (reopens ? "; the camera is opened anew" : "")
      )
    case .pictureMoves: (.info, "the picture moves again")
    case .pictureBlack(let time, let colour):
      (
        .warning,
        "the picture has been \(colour) all over for \(seconds(time)) s; see what the camera looks at"
      )
    case .pictureVaried: (.info, "the picture shows something again")
    case .soundSilent(let time, let reason):
      (
        .warning,
        "the microphone has been silent for \(seconds(time)) s"
          + (reason.map { ": \($0)" } ?? "; see that it is switched on and turned up")
      )
    case .soundHeard: (.info, "the microphone is heard again")
    case .bitrateChanged(let from, let to, let reason):
      (
        to < from ? .warning : .info, bitrate(from, to) + ": \(reason)"
      )
    case .dropped(let frames, let reason):
      (.warning, "left out \(frames) \(frames == 1 ? "frame" : "frames"): \(reason)")
    case .streamFound(let title, let status, let resumes):
      (
        .info,
        "the live stream \(title.map { "“\($0)” " } ?? "")is \(status)"
          + (resumes ? ": resuming it" : "")
      )
    case .streamCreated(let id, let title): (.info, "made the live stream “\(title)”: \(id)")
    case .awaitingStart(let date, let time):
      (
        .info,
        "the stream is scheduled: it begins in \(Wording.span(time.inMilliseconds / 1000)), at "
          + BunnyTimestamp.wholeSeconds(date)
      )
    case .streamOver(let reason): (.warning, reason)
    case .askingAgain(let delay, let reason):
      (.warning, "asking Bunny's API again \(inTime(delay)): \(reason)")
    case .startRefused(let reason):
      (.error, "\(reason); media flows on, and it is tried again")
    case .ingestStatusChanged(let primary, let backup):
      (
        .debug,
        "Bunny says: primary ingest \(state(primary)), backup ingest \(state(backup))"
      )
    case .awaitingReady(let trouble):
      (
        .warning,
        "for 30 s Bunny has not said that the stream is ready"
          + (trouble.map { ": \($0)" } ?? "") + "; publishing and asking go on"
      )
    case .running: (.info, "running: viewers see the stream")
    case .left(let reason):
      (
        .info,
        "left the stream as it is (\(reason)): if it was running it still is, and the next start "
          + "resumes it"
      )
    case .streamEnded: (.info, "ended the stream for good")
    case .statistics(let statistics): (.debug, of(statistics))
    case .ended(let totals, let reason): (.info, "ended (\(reason)): \(of(totals))")
    }
  }

  package static func of(_ statistics: BroadcastStatistics) -> String {
    let totals = statistics.totals
    if let waiting = waiting(statistics) {
      return "\(statistics.state) \(Wording.clock(statistics.elapsedSeconds)): \(waiting)"
    }
    return "\(statistics.state) \(Wording.clock(statistics.elapsedSeconds)), "
      + "\(fixed(statistics.framesPerSecond, 1)) fps, \(Wording.bitrate(statistics.bitrate)), "
      + "queue \(fixed(statistics.queueAgeMs, 0)) ms, \(totals.publishedFrames) frames published, "
      + "\(totals.repeatedFrames) repeated, \(totals.skippedFrames) skipped, "
      + "\(totals.droppedFrames) dropped"
  }

  /// What is waited for, and for how long yet; nil: nothing is.
  package static func waiting(_ statistics: BroadcastStatistics) -> String? {
    guard let date = statistics.waitingUntil, let seconds = statistics.waitingSeconds else {
      return statistics.waitingFor.map { "for \($0)" }
    }
    return "begins in \(Wording.span(seconds)), at \(BunnyTimestamp.wholeSeconds(date))"
  }

  /// The last line of a broadcast that failed: why has been said.
  package static func failed(_ totals: BroadcastTotals) -> (level: LogLevel, sentence: String) {
    (totals.connections > 0 ? .info : .debug, "ended: \(of(totals))")
  }

  private static func of(_ totals: BroadcastTotals) -> String {
    "\(totals.publishedFrames) frames published of "
      + "\(totals.encodedFrames) encoded and \(totals.capturedFrames) captured, "
      + "\(totals.repeatedFrames) repeated, \(totals.droppedFrames) dropped; "
      + "\(totals.bytes) bytes, \(totals.connections) "
      + "\(totals.connections == 1 ? "connection" : "connections"), "
      + "live \(Wording.clock(totals.liveSeconds))"
  }

  private static func bitrate(_ from: Int, _ to: Int) -> String {
    let (before, now) = (Wording.bitrate(Double(from)), Wording.bitrate(Double(to)))
    return before == now
      ? "the picture's bit rate stays at \(now)"
      : "the picture's bit rate goes from \(before) to \(now)"
  }

  private static func state(_ isLive: Bool?) -> String {
    isLive.map { $0 ? "live" : "not live" } ?? "not known"
  }

  private static func seconds(_ time: Duration) -> String {
    fixed(time.inMilliseconds / 1000, 0)
  }

  private static let now = Duration.milliseconds(50)

  private static func inTime(_ delay: Duration) -> String {
    delay < now ? "at once" : "in \(fixed(delay.inMilliseconds / 1000, 1)) s"
  }
}

extension Duration {
  package var inMilliseconds: Double {
    Double(components.seconds) * 1000 + Double(components.attoseconds) * 1e-15
  }
}
