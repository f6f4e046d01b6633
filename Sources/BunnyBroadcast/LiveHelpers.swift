import BunnyRTMP
import BunnyStreamAPI

/// Does `work`, which is cancelled when it takes longer.
func within<Success: Sendable>(
  _ duration: Duration, _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success {
  let working = Task { try await work() }
  let alarm = Task {
    try await Task.sleep(for: duration)
    working.cancel()
  }
  defer { alarm.cancel() }
  return try await withTaskCancellationHandler {
    try await working.value
  } onCancel: {
    working.cancel()
  }
}

extension Ingest {
  /// What Bunny's own SDKs publish to when the API names no ingest.
  static let bunnyPrimary = "rtmp://global.rtmp.mediadelivery.net/live"

  /// One that Bunny's API names.
  init(named url: String, _ key: String) throws(BroadcastError) {
    do {
      self = try Ingest(url, streamName: key)
    } catch {
      throw .fault("Bunny's API names an ingest that cannot be used: \(error)")
    }
  }
}

extension BroadcastError {
  /// Whether the same call of the API may succeed later.
  var mayPass: Bool {
    if case .api(let error) = self { !error.isPermanent } else { false }
  }
}

extension BunnyBroadcastEvent {
  /// Not one that only whoever runs the whole broadcast may send.
  var isOfMedia: Bool {
    switch self {
    case .preparing, .stopped, .ended, .failed: false
    default: true
    }
  }
}
