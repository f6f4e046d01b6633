import BunnyCapture
import BunnyMedia
import BunnySystem

/// Runs the sources, each on a capture thread of its own that only moves what it is given.
final class Capture: Sendable {
  /// Half a second at 30 fps: more than a stall of the encoder that viewers would forgive.
  let pictures = Mailbox<VideoLane.Arrival>(capacity: 15)
  /// Some seconds: sound waits for the first picture.
  let samples = Mailbox<Samples>(capacity: 500)
  private let sources: OpenSources
  private let telemetry: Telemetry
  private let events: EventHub
  private let isOver = Flag()
  private let wakes = [WakeEvent(), WakeEvent()]

  /// How long a lost source is left alone before it is asked again, nanoseconds.
  private static let pause: Int64 = .seconds(1)

  init(_ sources: OpenSources, telemetry: Telemetry, events: EventHub) {
    self.sources = sources
    self.telemetry = telemetry
    self.events = events
  }

  func start() {
    startThread("capture-video", turns: .short) { [self] in
      run("the video source", wakes[0], sources.pictures.next) { picture in
        let dropped = pictures.put(VideoLane.Arrival(picture: picture, time: .now))
        if dropped > 0 { telemetry.count { $0.skippedFrames += dropped } }
      }
    }
    guard let sound = sources.sound else { return }
    startThread("capture-audio", turns: .short) { [self] in
      run("the audio source", wakes[1], sound.next) { _ = samples.put($0) }
    }
  }

  /// Ends the sources and closes both mailboxes. The capture threads end when their sources let them.
  func stop() {
    isOver.isSet = true
    sources.pictures.cancel()
    sources.sound?.cancel()
    for wake in wakes { wake.signal() }
    pictures.close()
    samples.close()
  }

  /// Moves everything a source has; one that is lost is asked again once a second.
  private func run<Element>(
    _ name: String, _ wake: WakeEvent, _ next: () throws -> Element?, _ put: (Element) -> Void
  ) {
    var isLost = false
    while !isOver.isSet {
      do {
        guard let element = try next() else { return }
        if isLost { events.send(.notice(message: "\(name) delivers again")) }
        isLost = false
        put(element)
      } catch {
        if !isLost && !isOver.isSet {
          events.send(.sourceLost(source: name, reason: "\(error)"))
        }
        isLost = true
        wake.wait(until: .now + Self.pause)
      }
    }
  }
}
