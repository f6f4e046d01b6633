import BunnyRTMP
import BunnyStreamAPI
import BunnySystem

extension LiveWorld {
  /// Does `work`, which is cancelled when it takes longer; its error says so then.
  func within<Success: Sendable>(
    _ duration: Duration, _ work: @escaping @Sendable () async throws -> Success
  ) async throws -> Success {
    let isLate = Flag()
    let working = throwingTask(work)
    let alarm = throwingTask { [sleep] in
      try await sleep(duration)
      isLate.isSet = true
      working.cancel()
    }
    defer { alarm.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await working.value
      } onCancel: {
        working.cancel()
      }
    } catch let error as BunnyLiveStreamError where isLate.isSet && error.kind == .transport {
      let seconds = Int((duration / .seconds(1)).rounded())
      throw BunnyLiveStreamError(
        kind: .transport, message: "not within \(seconds) s", attempt: error.attempt)
    }
  }
}

extension Ingest {
  /// What Bunny's own SDKs publish to when the API names no ingest.
  static let bunnyPrimary = "rtmp://global.rtmp.mediadelivery.net/live"

  /// The one that Bunny's API names.
  init(named url: String, _ key: String) throws(BunnyLiveStreamError) {
    do {
      self = try Ingest(url, streamName: key)
    } catch {
      throw BunnyLiveStreamError(
        kind: .invalidResponse, message: "\(error)", attempt: "use the ingest that the API names")
    }
  }
}

extension BroadcastError {
  /// Whether the same call of the API may succeed later.
  var mayPass: Bool {
    if case .api(let error) = self { !error.isPermanent } else { false }
  }

  /// For how long Bunny's API wants to be left alone.
  var retryAfter: Duration? { if case .api(let error) = self { error.retryAfter } else { nil } }
}

extension BunnyBroadcastEvent {
  /// Not one that only whoever runs the whole broadcast may send.
  var isOfMedia: Bool {
    switch self {
    case .stopped, .ended, .failed: false
    default: true
    }
  }
}
