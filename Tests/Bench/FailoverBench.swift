import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnySystem
import Foundation
import Support

/// How fast an ingest that dies is left, and another one has what is missing: `scripts/bench failover`.
struct FailoverBench {
  let trials: Int

  func run(into results: inout Results) async throws {
    var rows = [
      SpreadRow(
        "reset → first keyframe, warm", try await measure { try await reset(.failover) },
        goal: (20, 50)),
      SpreadRow(
        "reset → first keyframe, cold", try await measure { try await reset(.cold) },
        goal: (60, 250)),
      SpreadRow("the same, ffmpeg's fifo muxer", try await FifoPeer().reset(trials: trials)),
    ]
    for (name, buffer) in [("64 KiB", 65_536), ("default", nil), ("1 MiB", 1 << 20)]
      as [(String, Int32?)]
    {
      rows.append(
        SpreadRow(
          "frozen → left, \(name) buffer", try await measure { try await freeze(buffer) },
          goal: (2000, 2000)))
    }
    results.add(rows)
    results.add(try await SessionCost(trials: trials).rows(), in: "percent of a core")
    guard Line.isAvailable else { return print("over the line: not measured (\(Line.need))") }
    results.add(try await LineBench(trials: trials).rows())
  }

  private func measure(_ trial: () async throws -> Double) async throws -> [Double] {
    var milliseconds: [Double] = []
    for _ in 0..<trials { milliseconds.append(try await trial()) }
    return milliseconds
  }

  /// Milliseconds from a reset until the other ingest has its first keyframe.
  private func reset(_ redundancy: BroadcastConfiguration.Redundancy) async throws -> Double {
    let trial = try BenchBroadcast(redundancy)
    try await trial.start()
    let moment = trial.primary.command(.reset)
    let arrival = try await trial.backup.firstKeyframe(atLeast: 1)
    try await trial.end()
    return Double(arrival - moment) / 1e6
  }

  /// Milliseconds from a freeze until the ingest is left.
  private func freeze(_ receiveBuffer: Int32?) async throws -> Double {
    let trial = try BenchBroadcast(.failover, receiveBuffer: receiveBuffer)
    let losses = trial.losses
    try await trial.start()
    let moment = trial.primary.command(.freeze)
    guard let loss = await losses.first(where: { _ in true }) else {
      throw BenchFailure(70, "the frozen ingest was never left")
    }
    trial.primary.command(.reset, .normal)
    try await trial.end()
    return Double(loss - moment) / 1e6
  }
}

/// A broadcast of a small test picture to two ingests.
struct BenchBroadcast {
  let primary: ScriptedIngest
  let backup: ScriptedIngest
  private let broadcast: Broadcast
  private let redundancy: BroadcastConfiguration.Redundancy
  private let running = Watched<Task<BroadcastTotals, any Error>?>(nil)

  /// 320x180 at 30 fps with a keyframe a second, without delay.
  static var quality: BroadcastQuality {
    var quality = BroadcastQuality(
      resolution: .custom(width: 320, height: 180), frameRate: 30, videoBitrate: 400_000)
    quality.encoder.preset = "ultrafast"
    quality.encoder.keyframeSeconds = 1
    quality.encoder.lookahead = 0
    return quality
  }

  init(_ redundancy: BroadcastConfiguration.Redundancy, receiveBuffer: Int32? = nil) throws {
    var script = IngestScript()
    script.receiveBuffer = receiveBuffer
    primary = try ScriptedIngest(script)
    backup = try ScriptedIngest()
    var configuration = BroadcastConfiguration(
      ingest: try primary.ingest(), video: .test, audio: .tone, quality: Self.quality)
    configuration.backup = try backup.ingest()
    configuration.redundancy = redundancy
    self.redundancy = redundancy
    broadcast = Broadcast(configuration)
  }

  /// The moments at which an ingest is lost.
  var losses: AsyncStream<MonotonicTime> {
    let events = broadcast.events()
    return AsyncStream { continuation in
      Task {
        for await event in events { if case .lost = event { continuation.yield(.now) } }
        continuation.finish()
      }
    }
  }

  /// Begins; returns at some moment of the GOP, when the standby is ready.
  func start() async throws {
    let task = Task { [broadcast] in try await broadcast.run() }
    running.change { $0 = task }
    let frames = Int.random(in: 5...40)
    try await primary.waitUntil { visits in
      visits.contains { $0.media.count { $0.kind == .video } >= frames }
    }
    guard redundancy == .failover else { return }
    try await backup.waitUntil { $0.contains { $0.commandNames.contains("createStream") } }
  }

  func end() async throws {
    broadcast.stop()
    _ = try await running.current?.value
  }
}

extension ScriptedIngest {
  /// When the first keyframe of a visit had arrived.
  ///
  /// - Parameter count: of how many visits with media the last is meant.
  func firstKeyframe(atLeast count: Int) async throws -> MonotonicTime {
    let isKeyframe: @Sendable (IngestVisit.Tag) -> Bool = {
      $0.kind == .video && $0.tag.isKeyframe
    }
    let visits = try await waitUntil { visits in
      visits.count { $0.media.contains(where: isKeyframe) } >= count
    }
    return visits.filter { $0.media.contains(where: isKeyframe) }[count - 1]
      .media.first(where: isKeyframe)!.arrival
  }
}
