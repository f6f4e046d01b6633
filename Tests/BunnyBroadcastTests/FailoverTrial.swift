import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnySystem
import Foundation
import Support
import Testing

/// A broadcast of a small test picture to two hostile ingests, or to one.
final class FailoverTrial: Sendable {
  static let framesPerSecond = 30.0

  let primary: ScriptedIngest
  let backup: ScriptedIngest
  let broadcast: Broadcast
  private let story = Watched<[Chapter]>([])
  private let running: Watched<Task<BroadcastTotals, any Error>?> = Watched(nil)

  struct Chapter: Sendable {
    let event: BunnyBroadcastEvent
    let at: MonotonicTime
  }

  /// What a trial led to.
  struct Outcome {
    let totals: BroadcastTotals
    let merged: MergedRecording
    let story: [Chapter]

    /// How often a connection to an ingest was begun.
    func tries(at ingest: ScriptedIngest) -> Int {
      let url = (try? ingest.ingest()).map { "\($0)" }
      return story.count {
        if case .connection(let place, .connecting) = $0.event { "\(place)" == url } else { false }
      }
    }

    /// Encoded frames that no ingest got at their own time.
    var missing: Int { totals.encodedFrames - merged.frames.count }
  }

  /// 320x180 at 30 fps with a keyframe a second, at little cost and without delay.
  static var quality: BroadcastQuality {
    var quality = BroadcastQuality(
      resolution: .custom(width: 320, height: 180), frameRate: framesPerSecond,
      videoBitrate: 400_000)
    quality.encoder.preset = "ultrafast"
    quality.encoder.keyframeSeconds = 1
    quality.encoder.lookahead = 0
    quality.encoder.slicedThreads = true
    return quality
  }

  init(
    _ script: IngestScript = .init(), backup other: IngestScript = .init(), hasBackup: Bool = true,
    book: AddressBook = AddressBook(),
    _ change: (inout BroadcastConfiguration) throws -> Void = { _ in }
  ) throws {
    primary = try ScriptedIngest(script)
    backup = try ScriptedIngest(other)
    var configuration = BroadcastConfiguration(
      ingest: try primary.ingest(), video: .test, audio: .tone, quality: Self.quality)
    if hasBackup { configuration.backup = try backup.ingest() }
    try change(&configuration)
    broadcast = Broadcast(configuration, book: book)
    let (events, story) = (broadcast.events(), story)
    Task {
      for await event in events { story.change { $0.append(Chapter(event: event, at: .now)) } }
    }
  }

  /// Begins; waits for nothing.
  func begin() {
    let task = Task { [broadcast] in try await broadcast.run() }
    running.change { $0 = task }
  }

  /// Begins; returns when `frames` have arrived at the primary and, where there is a warm standby, it
  /// is ready.
  func start(frames: Int = 45) async throws {
    begin()
    try await carries(primary, frames: frames)
    let configuration = broadcast.configuration
    guard configuration.backup != nil, configuration.redundancy == .failover else { return }
    try await hasStandby(backup)
  }

  /// Waits until `frames` more have arrived at `ingest` over one connection.
  @discardableResult
  func carries(
    _ ingest: ScriptedIngest, frames: Int = 30, atMost seconds: Double = 20
  ) async throws -> IngestVisit {
    let before = ingest.visits.map(\.videoCount)
    return try await ingest.waitUntil(atMost: seconds) { visits in
      visits.reached(frames, more: before) != nil
    }.reached(frames, more: before)!
  }

  /// Waits until a connection at `ingest` is ready and waits for its turn.
  func hasStandby(_ ingest: ScriptedIngest) async throws {
    try await ingest.waitUntil { $0.contains(where: \.isStandby) }
  }

  /// Waits until something has been said of the broadcast.
  @discardableResult
  func says(
    _ what: String, atMost seconds: Double = 20,
    where isIt: @escaping @Sendable (BunnyBroadcastEvent) -> Bool
  ) async throws -> Chapter {
    try await story.reach(what, atMost: seconds) { $0.contains { isIt($0.event) } }
      .first { isIt($0.event) }!
  }

  /// Waits until what follows the so many-th failure in a row is said.
  func fails(times: Int) async throws {
    try await says("failure \(times)") {
      if case .reconnecting(let attempt, _, _, _) = $0 { attempt >= times } else { false }
    }
  }

  /// Waits until an ingest is given up: seconds after `moment`.
  func timeToLeave(after moment: MonotonicTime) async throws -> Double {
    let chapters = try await story.reach("a lost ingest", atMost: 10) {
      $0.contains { $0.isLoss && $0.at >= moment }
    }
    return Double(chapters.first { $0.isLoss && $0.at >= moment }!.at - moment) / 1e9
  }

  /// How often an ingest has been lost so far.
  var losses: Int { story.current.count(where: \.isLoss) }
  var chapters: [Chapter] { story.current }

  /// Ends the broadcast and puts together what arrived.
  ///
  /// - Parameters:
  ///   - dead: what it has not read, it will never read.
  ///   - note: for a log, with what was measured.
  func finish(burying dead: ScriptedIngest? = nil, showing note: String) async throws -> Outcome {
    dead?.command(.reset, .normal)
    broadcast.stop()
    let totals = try await #require(running.current).value
    try await says("its end") { if case .ended = $0 { true } else { false } }
    // Our connections are closed by now: what they sent is read to its end.
    for ingest in [primary, backup] { try await ingest.waitUntil { $0.allSatisfy(\.isOver) } }
    let outcome = Outcome(
      totals: totals,
      merged: MergedRecording(
        primary.visits + backup.visits, framesPerSecond: Self.framesPerSecond),
      story: story.current)
    if ProcessInfo.processInfo.environment["BUNNY_TRIALS"] != nil {
      print("trial: \(note): \(outcome)")
    }
    return outcome
  }
}

extension FailoverTrial.Chapter {
  var isLoss: Bool { if case .lost = event { true } else { false } }
}

extension IngestVisit {
  var videoCount: Int { tags.count { $0.kind == .video && !$0.tag.isSequenceHeader } }
  var isStandby: Bool {
    !isOver && commandNames.contains("createStream") && !commandNames.contains("publish")
  }
}

extension [IngestVisit] {
  fileprivate func reached(_ frames: Int, more before: [Int]) -> IngestVisit? {
    indices.first {
      !self[$0].isOver && self[$0].videoCount >= frames + ($0 < before.count ? before[$0] : 0)
    }
    .map { self[$0] }
  }
}

extension FailoverTrial.Outcome {
  /// Nothing is missing, and no connection broke a rule.
  ///
  /// - Parameter twice: milliseconds that may have been shown twice.
  func expectWhole(twice: Double = 300, sourceLocation: SourceLocation = #_sourceLocation) {
    expectClean(sourceLocation: sourceLocation)
    #expect(missing == 0, "\(self)", sourceLocation: sourceLocation)
    #expect(merged.missingAudio == 0, "\(self)", sourceLocation: sourceLocation)
    #expect(merged.shownTwice <= twice, "\(self)", sourceLocation: sourceLocation)
    #expect(totals.droppedFrames == 0, "\(self)", sourceLocation: sourceLocation)
  }

  /// No connection broke a rule, whatever is missing.
  func expectClean(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(merged.faults == [], "\(self)", sourceLocation: sourceLocation)
    #expect(merged.squeezedOnly == 0, "\(self)", sourceLocation: sourceLocation)
    #expect(abs(merged.soundLag) <= 60, "\(self)", sourceLocation: sourceLocation)
  }
}

extension FailoverTrial.Outcome: CustomStringConvertible {
  var description: String {
    "\(merged); encoded \(totals.encodedFrames), dropped \(totals.droppedFrames), "
      + "connections \(totals.connections)"
  }
}
