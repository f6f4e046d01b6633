package import BunnyMedia
package import BunnySystem
import Synchronization

/// What the viewer sees: both ingests' tags spliced into one stream and recorded as HLS.
package final class Viewer: Sendable {
  private struct Scene: ~Copyable {
    var splicer = Splicer()
    let recording: HLSRecording
    var lastArrival = MonotonicTime(nanoseconds: 0)
    var hasEnded = false
  }

  /// When nothing came for so long, nothing more is on its way.
  private static let silence: Int64 = .milliseconds(100)
  /// An encoder that goes on is cut by then.
  private static let longestDrain: Int64 = .milliseconds(600)

  private let scene: Mutex<Scene>
  private let log: @Sendable (String) -> Void

  /// - Parameter folder: exists already; gets the playlist and its segments.
  package init(folder: String, log: @escaping @Sendable (String) -> Void) {
    scene = Mutex(Scene(recording: HLSRecording(folder: folder)))
    self.log = log
  }

  /// What there is to play.
  package var playlist: Playlist { scene.withLock { $0.recording.playlist } }

  /// Lets viewers see the stream from now on.
  package func open() { scene.withLock { $0.splicer.isOpen = !$0.hasEnded } }

  /// Shows what is still on its way, then nothing more, and finishes the recording.
  package func close() {
    let (latest, pause) = (MonotonicTime.now + Self.longestDrain, WakeEvent())
    while true {
      let due = min(latest, scene.withLock { $0.lastArrival } + Self.silence)
      guard due > .now else { break }
      pause.wait(until: due)
    }
    scene.withLock { scene in
      scene.hasEnded = true
      scene.splicer.isOpen = false
      attempt { try scene.recording.finish() }
    }
  }

  package func take(_ tag: MediaTag, from ingest: IngestName, at now: MonotonicTime) {
    change { scene in
      scene.lastArrival = now
      return scene.splicer.take(tag, from: ingest, at: now)
    }
  }

  /// The ingest has lost its publisher, or is gone.
  package func left(_ ingest: IngestName) {
    change { $0.splicer.left(ingest, at: .now) }
  }

  private func change(_ body: (inout Scene) -> [MediaTag]) {
    scene.withLock { scene in
      let before = scene.splicer.carrier
      let shown = body(&scene)
      if let carrier = scene.splicer.carrier, carrier != before {
        log("viewers see the \(carrier.rawValue) ingest")
      }
      attempt { try scene.recording.write(shown) }
    }
  }

  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { log("the viewer's recording has a fault: \(error)") }
  }
}
