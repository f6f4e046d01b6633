import BunnyMedia
import BunnySystem
import Foundation
import Synchronization

/// A live stream: its facts, its state, who asked what, and what viewers see of it.
package final class LiveStream: Sendable {
  package let calls: CallLog
  /// nil for a stream that nobody watches here: one that was made by a call of the API.
  let viewer: Viewer?
  let created = Date()
  let log: @Sendable (String) -> Void
  private let begun = MonotonicTime.now
  private let readyAfter: Int64
  private let keyAfter: Int64
  private let state: Mutex<LiveState>
  private let settled: Mutex<StreamFacts>
  private let answers = Mutex(0)

  /// - Parameters:
  ///   - readyAfter: nanoseconds that media flows before the stream may be started.
  ///   - keyAfter: nanoseconds for which the API keeps the stream key back.
  package init(
    _ facts: StreamFacts, readyAfter: Int64, keyAfter: Int64, viewer: Viewer?,
    calls: CallLog = CallLog(), log: @escaping @Sendable (String) -> Void
  ) {
    settled = Mutex(facts)
    self.calls = calls
    self.readyAfter = readyAfter
    self.keyAfter = keyAfter
    self.viewer = viewer
    self.log = log
    state = Mutex(LiveState(readyAfter: readyAfter))
  }

  package var facts: StreamFacts { settled.withLock { $0 } }

  func settle(_ body: (inout StreamFacts) -> Void) { settled.withLock { body(&$0) } }

  /// Another stream of the same library, which shares the log of calls.
  func successor() -> LiveStream {
    LiveStream(
      facts.successor(), readyAfter: readyAfter, keyAfter: keyAfter, viewer: nil, calls: calls,
      log: log)
  }

  /// A copy of the state as it is now.
  package var live: LiveState { state.withLock { $0 } }

  var showsKey: Bool { MonotonicTime.now - begun >= keyAfter }

  /// The forms of the dates in the API's next answer: every answer has other ones.
  func nextDateForms() -> Wire.DateForms {
    answers.withLock { count in
      defer { count += 1 }
      return Wire.DateForms(answer: count)
    }
  }

  /// Changes the state, lets the viewer see what that means, and says it in the log.
  @discardableResult
  func change<Result: Sendable>(_ body: (inout LiveState) -> Result) -> Result {
    let (result, before, after) = state.withLock { live in
      let before = live.status
      let result = body(&live)
      return (result, before, live.status)
    }
    guard before != after else { return result }
    log("the stream is \(after.name)")
    if after == .running { viewer?.open() }
    if after.isFinal { viewer?.close() }
    return result
  }
}

extension LiveStream: IngestServer.Listener {
  func came(_ tag: MediaTag, from ingest: IngestName) {
    let now = MonotonicTime.now
    if !tag.isSequenceHeader, change({ $0.mediaCame(on: ingest, at: now) }) {
      log("media flows into the \(ingest.rawValue) ingest")
    }
    viewer?.take(tag, from: ingest, at: now)
  }

  func broke(_ ingest: IngestName) { viewer?.left(ingest) }

  func ended(_ ingest: IngestName) {
    change { $0.died(ingest) }
    log("the \(ingest.rawValue) ingest is dead")
  }
}
