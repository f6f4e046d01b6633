import Synchronization

/// What is remembered of a camera, by all that open it in turn.
package final class CameraMemory: Sendable {
  private struct Content {
    var known: KnownDevice<VideoNode>?
    var told: (path: String, mode: CameraMode)?
  }

  private let content = Mutex(Content())

  package init() {}

  /// The device that was taken, once it has worked.
  var known: KnownDevice<VideoNode>? {
    get { content.withLock { $0.known } }
    set { content.withLock { $0.known = newValue } }
  }

  /// Notes that it is used so, which a person is told.
  ///
  /// - Returns: false where that was told last.
  func isNews(_ path: String, _ mode: CameraMode) -> Bool {
    content.withLock { content in
      defer { content.told = (path, mode) }
      return content.told.map { $0 != (path, mode) } ?? true
    }
  }
}
