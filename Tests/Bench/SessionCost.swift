import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnySystem
import Foundation
import Support

/// What publishing costs beside the encoder: processor time of a broadcast's publishing threads, by
/// the kernel's count. The ingest is in this process too, on threads of its own.
struct SessionCost {
  /// At most so many of a row, each of one GOP.
  private static let mostSamples = 30
  private static let framesOfSample = 60
  private static let videoBitrate = 6_000_000
  /// The publish lane, its connections, its watch for links, and the statistics.
  private static let threads: Set = ["publishing", "publish", "links", "report"]

  private let samples: Int

  init(trials: Int) { samples = min(trials, Self.mostSamples) }

  /// In percent of a core.
  func rows() async throws -> [SpreadRow] {
    let authority = try await CertificateAuthority()
    let server = try TLSServer(await authority.issue(for: "DNS:localhost"))
    var rows: [SpreadRow] = []
    for (name, tls) in [("RTMP", nil), ("RTMPS", server)] as [(String, TLSServer?)] {
      for (rest, hasStandby) in [("", false), (", and a standby", true)] {
        let trial = try CostTrial(tls, .file(authority.root), hasStandby, Self.videoBitrate)
        rows.append(
          SpreadRow("6 Mbit/s over \(name)\(rest)", try await shares(trial), goal: (1, 1)))
      }
    }
    return rows
  }

  private func shares(_ trial: CostTrial) async throws -> [Double] {
    let run = Task { try await trial.broadcast.run() }
    var last = try await reading(trial, after: 2 * Self.framesOfSample)
    let first = last
    var shares: [Double] = []
    for _ in 0..<samples {
      let next = try await reading(trial, after: last.frames + Self.framesOfSample)
      shares.append((next.cpuSeconds - last.cpuSeconds) / next.seconds(since: last) * 100)
      last = next
    }
    trial.broadcast.stop()
    _ = try await run.value
    let bitrate = Double(last.bytes - first.bytes) * 8 / last.seconds(since: first)
    guard bitrate >= 0.98 * Double(Self.videoBitrate) else {
      throw BenchFailure(
        70,
        "only \(Int(bitrate / 1000)) kbit/s arrived of a broadcast of 6 Mbit/s: the machine "
          + "is too busy")
    }
    return shares
  }

  private struct Reading {
    let at: MonotonicTime
    let cpuSeconds: Double
    let frames: Int
    let bytes: Int64

    func seconds(since earlier: Self) -> Double { Double(at - earlier.at) / 1e9 }
  }

  /// Once so many frames have arrived.
  private func reading(_ trial: CostTrial, after frames: Int) async throws -> Reading {
    let visit = try await trial.primary.waitUntil { $0.first?.frames ?? 0 >= frames }[0]
    return Reading(
      at: .now, cpuSeconds: try ProcessorTime.seconds(ofThreads: Self.threads),
      frames: visit.frames, bytes: visit.bytesReceived)
  }
}

/// A broadcast of the test picture at 720p30, filled up to the bit rate.
private struct CostTrial {
  let primary: ScriptedIngest
  private let backup: ScriptedIngest
  let broadcast: Broadcast

  init(_ tls: TLSServer?, _ trust: TLSTrust, _ hasStandby: Bool, _ bitrate: Int) throws {
    var script = IngestScript()
    script.tls = tls
    primary = try ScriptedIngest(script)
    backup = try ScriptedIngest(script)
    var quality = BroadcastQuality(resolution: .hd720, frameRate: 30, videoBitrate: bitrate)
    quality.encoder.preset = "ultrafast"
    quality.encoder.filler = true
    var configuration = BroadcastConfiguration(
      ingest: try primary.ingest(), video: .test, audio: .tone, quality: quality)
    if hasStandby { configuration.backup = try backup.ingest() }
    configuration.tlsTrust = trust
    broadcast = Broadcast(configuration)
  }
}

extension IngestVisit {
  fileprivate var frames: Int { media.count { $0.kind == .video } }
}
