import BunnyCapture
import BunnyMedia
import BunnySystem
import Synchronization

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
  private let standIn: StandIn
  private let events: EventHub
  private let microphone: Keeper<Samples>?
  private let ended = Mailbox<SourceError>(capacity: 1)

  /// - Parameter frame: what a frame of the broadcast lasts, nanoseconds.
  init(
    _ sources: OpenSources, _ configuration: BroadcastConfiguration, slate: Slate, frame: Int64,
    telemetry: Telemetry, events: EventHub
  ) {
    let pictures = Mailbox<VideoLane.Arrival>(capacity: 15)
    let samples = Mailbox<Samples>(capacity: 500)
    let standIn = StandIn(slate, frame: frame, pictures)
    let end: @Sendable (SourceError) -> Void = { [ended] error in
      ended.put(error)
      pictures.close()
      samples.close()
    }
    let turn = configuration.turn
    let usbReset = configuration.resetsUSB ? USBReset() : nil
    (self.pictures, self.samples) = (pictures, samples)
    (self.standIn, self.events) = (standIn, events)
    cameras = Cameras(sources, onLoss: configuration.onCameraLoss, usbReset: usbReset) { event in
      switch event {
      case .delivered(let captured, let isWatched):
        standIn.hasPicture.isSet = true
        let dropped = pictures.put(
          VideoLane.Arrival(
            content: captured.content, time: .now, turn: turn,
            origin: isWatched ? .sensor : .other))
        if dropped > 0 { telemetry.count { $0.skippedFrames += dropped } }
      case .lost(let reason):
        events.send(.cameraLost(reason: reason))
        standIn.show(reason)
      case .stillLost(let reason):
        events.send(.notice(message: reason))
        standIn.show(reason, isNew: false)
      case .back: events.send(.cameraBack)
      case .held: pictures.put(VideoLane.Arrival(content: .hold, time: .now))
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

  /// Nothing of what comes can be shown: the slate is, and the camera is opened anew.
  func cannotShow(_ reason: String) {
    events.send(.notice(message: "the pictures that come cannot be shown: \(reason)"))
    standIn.show(reason)
    _ = cameras.reopen()
  }

  /// Ends the sources and closes both mailboxes. The capture threads end when their sources let them.
  func stop() {
    cameras.stop()
    microphone?.stop()
    pictures.close()
    samples.close()
  }
}

/// Puts the slate on air.
private final class StandIn: Sendable {
  /// There ever was a good picture.
  let hasPicture = Flag()
  private let slate: Slate
  private let frame: Int64
  private let pictures: Mailbox<VideoLane.Arrival>
  private let since = Mutex<MonotonicTime?>(nil)

  init(_ slate: Slate, frame: Int64, _ pictures: Mailbox<VideoLane.Arrival>) {
    (self.slate, self.frame, self.pictures) = (slate, frame, pictures)
  }

  /// - Parameter isNew: a loss begins; else it has another reason by now.
  func show(_ reason: String, isNew: Bool = true) {
    // The places of this moment and the next may be taken: it must not come too early for its own.
    let time = MonotonicTime.now + 2 * frame
    let since = since.withLock { since in
      if isNew || since == nil { since = time }
      return since
    }
    let picture = slate.picture(
      reason, hasPicture: hasPicture.isSet, since: since ?? time, at: time)
    pictures.put(
      picture.map { VideoLane.Arrival(content: .picture($0), time: .now) }
        ?? VideoLane.Arrival(content: .hold, time: time))
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
