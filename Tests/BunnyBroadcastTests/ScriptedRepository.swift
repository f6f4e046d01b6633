import BunnyStreamAPI
import BunnySystem
import Foundation
import Support

/// Bunny's API as a test wants it, which notes what is asked and when.
final class ScriptedRepository: PartlyScripted {
  /// What it answers; each list's last entry is its answer from then on.
  struct Script: Sendable {
    var status: [BunnyLiveStreamStatus] = [.running]
    /// Why it does not tell of a stream.
    var gets: [BunnyLiveStreamError?] = [nil]
    /// These have ended, whatever the others are.
    var over: Set<String> = []
    /// Why no stream is listed, and none made: `s2`.
    var lists: [BunnyLiveStreamError?] = [nil]
    var creates: [BunnyLiveStreamError?] = [nil]
    /// Why it tells of no stream, and how often it does before.
    var trouble: BunnyLiveStreamError?
    var tellsBefore = 0
    /// Seconds from its answer to its scheduled time; nil: it has none.
    var beginsAfter: Double?
    /// What counts instead once `start` has been called.
    var statusAfterStart: BunnyLiveStreamStatus?
    /// nil: it has none.
    var key: String? = "key"
    var ready: [Result<Bool, BunnyLiveStreamError>] = [.success(true)]
    var starts: [BunnyLiveStreamError?] = [nil]
    var stops: [BunnyLiveStreamError?] = [nil]
    var backupURL: String?
    /// Milliseconds.
    var lastPingAgo: Int64?
  }

  struct Call: Sendable, Equatable {
    let name: String
    let at: MonotonicTime
  }

  private struct State: Sendable {
    var script: Script
    var calls: [Call] = []

    /// Notes the call, and takes the next entry of its list.
    mutating func next<Answer>(_ name: String, _ list: WritableKeyPath<Script, [Answer]>) -> Answer
    {
      calls.append(Call(name: name, at: .now))
      return take(list)
    }

    mutating func take<Answer>(_ list: WritableKeyPath<Script, [Answer]>) -> Answer {
      script[keyPath: list].count > 1
        ? script[keyPath: list].removeFirst() : script[keyPath: list][0]
    }
  }

  /// Its URL.
  let ingest: String
  private let state: Watched<State>

  init(_ ingest: ScriptedIngest, _ script: Script = Script()) {
    self.ingest = "rtmp://127.0.0.1:\(ingest.port)/live"
    state = Watched(State(script: script))
  }

  var calls: [Call] { state.current.calls }
  func count(_ name: String) -> Int { calls.count { $0.name == name } }

  func waitFor(_ name: String, times: Int = 1) async throws {
    try await state.reach("\(name) × \(times)") {
      $0.calls.count { $0.name == name } >= times
    }
  }

  func change(_ body: @Sendable (inout Script) -> Void) { state.change { body(&$0.script) } }

  func getLiveStream(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    let (status, script, asked) = state.change { state in
      (state.next("get", \.status), state.script, state.calls.count { $0.name == "get" })
    }
    if let error = state.change({ $0.take(\.gets) }) { throw error }
    if let trouble = script.trouble, asked > script.tellsBefore { throw trouble }
    let later: BunnyLiveStreamStatus? =
      script.over.contains(streamId)
      ? .ended : count("start") > 0 ? script.statusAfterStart : nil
    return BunnyLiveStream(
      id: streamId, streamKey: script.key, primaryIngestUrl: ingest,
      backupIngestUrl: script.backupURL, status: later ?? status,
      scheduledStartTime: script.beginsAfter.map { Date() + $0 })
  }

  func ingestStatus(
    libraryId: Int, streamId: String
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamIngestStatus {
    let (isReady, lastPing) = state.change { ($0.next("status", \.ready), $0.script.lastPingAgo) }
    return BunnyLiveStreamIngestStatus(
      readyToStart: try isReady.get(), primaryLive: true, backupLive: false, lastPingAgo: lastPing)
  }

  func startLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError) {
    if let error = state.change({ $0.next("start", \.starts) }) { throw error }
  }

  func stopLiveStream(libraryId: Int, streamId: String) async throws(BunnyLiveStreamError) {
    if let error = state.change({ $0.next("stop", \.stops) }) { throw error }
  }

  func listLiveStreams(
    libraryId: Int, page: Int?, itemsPerPage: Int?, search: String?, orderBy: String?
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStreamList {
    if let error = state.change({ $0.next("list", \.lists) }) { throw error }
    return BunnyLiveStreamList(items: [], totalItems: 0, currentPage: 1, itemsPerPage: 100)
  }

  func createLiveStream(
    libraryId: Int, request: BunnyLiveStreamCreateRequest
  ) async throws(BunnyLiveStreamError) -> BunnyLiveStream {
    if let error = state.change({ $0.next("create", \.creates) }) { throw error }
    return BunnyLiveStream(id: "s2", title: request.title)
  }
}
