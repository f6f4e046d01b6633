import Synchronization

/// The live streams of the one library: the one that is watched here, and those that clients make.
package final class Library: Sendable {
  /// The one that is watched here, also when it was deleted.
  let first: LiveStream
  private let streams: Mutex<[LiveStream]>

  package init(_ first: LiveStream) {
    self.first = first
    streams = Mutex([first])
  }

  /// The newest first, as Bunny lists them.
  var all: [LiveStream] { streams.withLock { $0.reversed() } }

  func stream(_ id: String) -> LiveStream? { all.first { $0.facts.streamId == id.lowercased() } }

  func stream(withKey key: String) -> LiveStream? { all.first { $0.facts.streamKey == key } }

  func add(_ stream: LiveStream) { streams.withLock { $0.append(stream) } }

  func remove(_ stream: LiveStream) { streams.withLock { $0.removeAll { $0 === stream } } }
}
