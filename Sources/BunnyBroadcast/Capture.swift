import BunnyCapture
import BunnyMedia
import BunnySystem

/// Runs the sources, each on a capture thread of its own that only moves what it is given.
///
/// A lost picture is replaced by the slate, which is put into the mailbox once: the video lane shows it
/// until something newer comes. A lost sound needs nothing: the audio lane fills what is missing.
final class Capture: Sendable {
  /// Half a second at 30 fps: more than a stall of the encoder that viewers would forgive.
  let pictures: Mailbox<VideoLane.Arrival>
  /// Some seconds: sound waits for the first picture.
  let samples: Mailbox<Samples>
  private let cameras: Cameras
  private let microphone: Keeper<Samples>?
  private let ended = Mailbox<SourceError>(capacity: 1)

  /// - Parameter frame: what a frame of the broadcast lasts, nanoseconds.
  init(
    _ sources: OpenSources, _ configuration: BroadcastConfiguration, slate: Slate, frame: Int64,
    telemetry: Telemetry, events: EventHub
  ) {
    let pictures = Mailbox<VideoLane.Arrival>(capacity: 15)
    let samples = Mailbox<Samples>(capacity: 500)
    let hasPicture = Flag()
    let end: @Sendable (SourceError) -> Void = { [ended] error in
      ended.put(error)
      pictures.close()
      samples.close()
    }
    let turn = configuration.turn
    let usbReset = configuration.resetsUSB ? USBReset() : nil
    (self.pictures, self.samples) = (pictures, samples)
    let show: @Sendable (String) -> Void = { reason in
      // The places of this moment and the next may be taken: it must not come too early for its own.
      let time = MonotonicTime.now + 2 * frame
      let picture = slate.picture(reason, hasPicture: hasPicture.isSet, at: time)
      pictures.put(
        picture.map { VideoLane.Arrival(content: .picture($0), time: .now) }
          ?? VideoLane.Arrival(content: .hold, time: time))
    }
    cameras = Cameras(sources, onLoss: configuration.onCameraLoss, usbReset: usbReset) { event in
      switch event {
      case .delivered(let captured, let isWatched):
        hasPicture.isSet = true
        let dropped = pictures.put(
          VideoLane.Arrival(
            content: captured.content, time: .now, turn: turn,
            origin: isWatched ? .sensor : .other))
        if dropped > 0 { telemetry.count { $0.skippedFrames += dropped } }
      case .lost(let reason):
        events.send(.cameraLost(reason: reason))
        show(reason)
      case .stillLost(let reason):
        events.send(.notice(message: reason))
        show(reason)
      case .back: events.send(.cameraBack)
      case .changed(let source): events.send(.cameraChanged(source: source))
      case .notChanged(let source, let reason):
        events.send(.cameraNotChanged(source: source, reason: reason))
      case .needsHand(let reason): events.send(.cameraNeedsHand(reason: reason))
      case .helped(let how): events.send(.notice(message: how))
      case .ended(let error): end(error)
      }
    }
    microphone = sources.sound.map { sound in
      Keeper("audio", KeptSource(sound), usbReset: usbReset) { event in
        switch event {
        case .delivered(let run): samples.put(run)
        case .lost(let reason, _): events.send(.microphoneLost(reason: reason))
        case .stillLost(let reason): events.send(.notice(message: reason))
        case .back: events.send(.microphoneBack)
        case .needsHand(let reason): events.send(.microphoneNeedsHand(reason: reason))
        case .helped(let how): events.send(.notice(message: how))
        case .ended(let error): end(error)
        case .stopped: break
        }
      }
    }
  }

  /// - Throws: why there is no more media, if a source has ended for good.
  func checkSources() throws(SourceError) {
    if case .element(let error) = ended.take(until: .now) { throw error }
  }

  func start() {
    cameras.start()
    microphone?.start()
  }

  /// Another camera's turn. Does not wait.
  func rotateCamera() { cameras.rotate() }

  /// The next picture should be a keyframe, if the camera on air codes it itself.
  func wantKeyframe() { cameras.wantKeyframe() }

  /// Has the camera on air opened anew; false: the picture comes from none.
  func reopenCamera() -> Bool { cameras.reopen() }

  /// Ends the sources and closes both mailboxes. The capture threads end when their sources let them.
  func stop() {
    cameras.stop()
    microphone?.stop()
    pictures.close()
    samples.close()
  }
}

extension Captured {
  fileprivate var content: VideoLane.Arrival.Content {
    switch self {
    case .picture(let picture): .picture(picture)
    case .coded(let unit): .coded(unit)
    }
  }
}
