import BunnyBroadcast
import BunnyMedia
import Foundation

/// How good the picture is at one bit rate, and what that costs, over all clips.
struct QualityBench {
  let options: BenchOptions

  private static let qualities = ["sd480", "hd720", "fullHd1080"]
  /// Whose processor time is to be the common line's at most.
  private static let ours = EncoderEffort.good.name
  private static let measures = ["SSIM, dB", "PSNR, dB", "VMAF"]

  func run(into results: inout Results) async throws {
    if !PictureQuality.hasVMAF {
      say("no VMAF: no Python package for this machine has an ffmpeg that measures it")
    }
    try await Clip720.prepareAll()
    for name in Self.qualities {
      let quality = BroadcastQuality.presets.first { $0.name == name }!.quality
      results.add(try await table(name, quality))
    }
  }

  private func table(_ name: String, _ quality: BroadcastQuality) async throws -> ResultTable {
    var contenders = [(Rung.common.name, Rung.common.settings(quality))]
    contenders.append((Rung.obs.name, Rung.obs.settings(quality)))
    let efforts = name == "hd720" ? EncoderEffort.allCases : [.light, .good]
    contenders += efforts.map { ($0.name, $0.settings(quality)) }
    var sums = contenders.map { _ in [Sample]() }
    for clip in Clip720.allCases {
      say("quality, \(name), \(clip.rawValue)")
      let path = try await clip.scaled(
        width: quality.resolution.width, height: quality.resolution.height)
      let trial = try EncoderTrial(path, frames: options.seconds * Clip720.framesPerSecond)
      for index in contenders.indices {
        sums[index].append(try await sample(trial, contenders[index].1, path))
      }
      // They take turns, so that what else the machine does meets all.
      for _ in 1..<max(1, options.rounds) {
        for index in contenders.indices {
          let again = try trial.encode(contenders[index].1).milliseconds
          sums[index][sums[index].count - 1].milliseconds.append(again)
        }
      }
    }
    let common = sums[0]
    var table = ResultTable(
      title: "\(name) at \(quality.videoBitrate / 1000) kbit/s",
      columns: ["CPU, ms a picture", "SSIM over the common line's, dB", "least of a clip"]
        + Self.measures + Clip720.allCases.map { "\($0.rawValue), dB" })
    table.lines = zip(contenders, sums).map { contender, samples in
      ResultTable.Line(name: contender.0, figures: Self.figures(samples, common))
    }
    table.goals = goals(table)
    return table
  }

  private struct Sample {
    var milliseconds: [Double]
    let quality: PictureQuality
  }

  private func sample(
    _ trial: EncoderTrial, _ settings: VideoEncoder.Settings, _ path: String
  ) async throws -> Sample {
    let (tags, milliseconds) = try trial.encode(settings)
    let quality = try await PictureQuality.of(tags, against: path, withVMAF: true)
    return Sample(milliseconds: [milliseconds], quality: quality)
  }

  private static func figures(_ samples: [Sample], _ common: [Sample]) -> [[Double]] {
    let gains = zip(samples, common).map { $0.quality.ssim - $1.quality.ssim }
    let rounds = samples.map(\.milliseconds)
    let costs = rounds[0].indices.map { round in rounds.map { $0[round] }.mean }
    return [
      costs, [gains.mean], [gains.min()!], [samples.map(\.quality.ssim).mean],
      [samples.map(\.quality.psnr).mean],
      samples.allSatisfy { $0.quality.vmaf != nil }
        ? [samples.compactMap(\.quality.vmaf).mean] : [],
    ] + gains.map { [$0] }
  }

  private func goals(_ table: ResultTable) -> [Goal] {
    guard let gain = table[Self.ours, 1], let least = table[Self.ours, 2] else { return [] }
    return [
      Goal(
        title: "\(Self.ours): SSIM over the common line's", value: gain, least: 0.8, unit: " dB"),
      Goal(title: "the same, of the worst clip", value: least, least: 0, unit: " dB"),
    ]
      + Goal.ratio(
        "\(Self.ours): CPU, of the common line's", table[Self.ours, 0],
        to: table[Rung.common.name, 0], most: 1)
  }
}

extension [Double] {
  /// 0 of nothing.
  var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }
}
