package import BunnyMedia
package import BunnySystem
import Synchronization

/// What the viewer sees: both ingests' tags spliced into one stream and recorded as HLS.
package final class Viewer: Sendable {
  private struct Scene: ~Copyable {
    var splicer = Splicer()
    let recording: HLSRecording
    var hasEnded = false
  }
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

  /// Nothing more is shown; the recording is finished.
  package func close() {
    scene.withLock { scene in
      scene.hasEnded = true
      scene.splicer.isOpen = false
      attempt { try scene.recording.finish() }
    }
  }

  package func take(_ tag: MediaTag, from ingest: IngestName, at now: MonotonicTime) {
    scene.withLock { scene in
      let before = scene.splicer.carrier
      let shown = scene.splicer.take(tag, from: ingest, at: now)
      if let carrier = scene.splicer.carrier, carrier != before {
        log("viewers see the \(carrier.rawValue) ingest")
      }
      attempt { try scene.recording.write(shown) }
    }
  }

  package func left(_ ingest: IngestName) { scene.withLock { $0.splicer.left(ingest) } }

  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { log("the viewer's recording has a fault: \(error)") }
  }
}
