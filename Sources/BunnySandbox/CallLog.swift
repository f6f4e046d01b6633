import BunnyBroadcast
import BunnySystem
import Foundation

/// What clients and encoders asked of the sandbox, in the order they did.
package final class CallLog: Sendable {
  /// A question and its answer.
  package struct Call: Equatable, Sendable {
    /// `get`, `status`, `start`, `stop` of the API, the whole path of whatever else was asked of it;
    /// `publish`, `publish_done` of an ingest.
    package let name: String
    /// The GUID of the stream that it was about; of the first one, where it was about none.
    package let stream: String
    /// nil for calls of the API.
    package let ingest: IngestName?
    /// The HTTP status it was answered with; 0: hung up.
    package let answer: Int
    /// What the stream was in when the call was answered.
    package let status: StreamStatus
    package let isReady: Bool
    /// UNIX milliseconds.
    package let at: Int64
    /// Milliseconds of `CLOCK_MONOTONIC`.
    package let monotonic: Int64
  }

  private let calls = Awaited<[Call]>([])

  package init() {}

  package var all: [Call] { calls.current }

  /// Waits until there are more than `count`, for a second at most.
  func wait(beyond count: Int) { calls.wait(atMost: 1) { $0.count > count } }

  func add(_ name: String, _ ingest: IngestName? = nil, of stream: LiveStream, answer: Int) {
    let (now, live) = (MonotonicTime.now, stream.live)
    let call = Call(
      name: name, stream: stream.facts.streamId, ingest: ingest, answer: answer,
      status: live.status,
      isReady: live.isReady(at: now), at: Int64(Date().timeIntervalSince1970 * 1000),
      monotonic: now.nanoseconds / 1_000_000)
    calls.change { $0.append(call) }
  }

  var json: JSONValue {
    .object([.init("calls", .array(all.map(\.json)))])
  }
}

extension CallLog.Call {
  fileprivate var json: JSONValue {
    .object([
      .init("call", .string(name)), .init("stream", .string(stream)),
      .init("ingest", ingest.map { .string($0.rawValue) } ?? .null),
      .init("answer", .integer(answer)), .init("status", .string(status.name)),
      .init("readyToStart", .bool(isReady)), .init("at", .integer(at)),
      .init("monotonicMs", .integer(monotonic)),
    ])
  }
}
