package import BunnyMedia
import BunnySystem

/// What encodes on this machine, and what it costs: found out by encoding a second of a moving pattern.
package struct EncoderSurvey {
  package struct Encoder: Equatable, Sendable {
    package let kind: VideoEncoder.Kind
    /// Why it does not work; nil: it does.
    package let problem: String?
  }

  /// What one takes at one quality.
  package struct Row: Equatable, Sendable {
    /// The quality's name, or its file.
    package let quality: String
    package let kind: VideoEncoder.Kind
    /// nil: it has none.
    package let effort: EncoderEffort?
    /// nil: it does not work at this quality.
    package let cost: Cost?
    /// Why it does not.
    package let problem: String?
  }

  package struct Cost: Equatable, Sendable {
    /// Of one processor, for each picture.
    package let milliseconds: Double
    /// Of one processor, all the time.
    package let share: Double
    package let leavesAThird: Bool
  }

  /// "AMD EPYC", and how many of them may be used.
  package let model: String
  package let processors: Double
  package let encoders: [Encoder]
  package let rows: [Row]

  /// Takes a second or so for each effort of each quality. Blocks.
  ///
  /// - Parameter probe: why an encoder does not work; nil: it does.
  package init(
    _ qualities: [(name: String, quality: BroadcastQuality)],
    probe: (VideoEncoder.Kind, VideoEncoder.Settings) -> String? = Self.problem
  ) {
    let facts = ProcessorFacts()
    (model, processors) = (facts.model, facts.usable)
    let first = qualities.first?.quality ?? .default
    encoders = VideoEncoder.Kind.allCases.map {
      Encoder(kind: $0, problem: probe($0, first.videoSettings))
    }
    var rows: [Row] = []
    for (name, quality) in qualities {
      for encoder in encoders where encoder.problem == nil {
        let efforts: [EncoderEffort?] =
          encoder.kind == .x264 ? EncoderEffort.allCases.map { $0 } : [nil]
        for effort in efforts {
          rows.append(Self.row(name, quality, encoder.kind, effort, facts))
        }
      }
    }
    self.rows = rows
  }

  package static func problem(
    _ kind: VideoEncoder.Kind, _ settings: VideoEncoder.Settings
  ) -> String? {
    var settings = settings
    settings.kind = kind
    // x264's own delay and look-ahead say nothing of whether it works.
    (settings.lookahead, settings.threads) = (0, 1)
    do throws(EncoderProbe.Problem) { _ = try EncoderProbe(settings) } catch {
      return error.description
    }
    return nil
  }

  private static func row(
    _ name: String, _ quality: BroadcastQuality, _ kind: VideoEncoder.Kind,
    _ effort: EncoderEffort?, _ facts: ProcessorFacts
  ) -> Row {
    var settings = quality.videoSettings
    settings.kind = kind
    effort?.apply(to: &settings)
    // Slices and frame threads cost a little more, which is not asked here.
    settings.threads = 1
    do {
      let milliseconds = try measure(settings)
      let share = milliseconds * settings.frameRate.value / 1000
      let cost = Cost(
        milliseconds: milliseconds, share: share, leavesAThird: share <= facts.usable * 2 / 3)
      return Row(quality: name, kind: kind, effort: effort, cost: cost, problem: nil)
    } catch {
      return Row(quality: name, kind: kind, effort: effort, cost: nil, problem: "\(error)")
    }
  }

  private static func measure(_ settings: VideoEncoder.Settings) throws -> Double {
    let pictures = MovingPattern.pictures(width: settings.width, height: settings.height)
    let sets = settings.kind == .x264 ? [] : try EncoderProbe(settings).parameterSets
    let encoder = try VideoEncoder(settings, parameterSets: sets)
    let count = max(10, Int(settings.frameRate.value.rounded()))
    let began = ProcessorFacts.ownTime
    for number in 0..<count {
      _ = try encoder.encode(pictures[number % pictures.count], at: Int64(number))
    }
    _ = try encoder.finish()
    return Double(ProcessorFacts.ownTime - began) / Double(count) / 1e6
  }
}

/// A texture that moves, in as many pictures as it takes to come back to where it was.
enum MovingPattern {
  static let length = 16

  static func pictures(width: Int, height: Int) -> [Picture] {
    let pool = PicturePool(width: width, height: height)
    return (0..<length).map { number in
      pool.picture(time: MonotonicTime(nanoseconds: 0)) { y, u, v in
        for row in 0..<y.height {
          let line = y.bytes + row * y.stride
          for column in 0..<y.width {
            line[column] = UInt8(48 + ((column + 8 * number) & 127 ^ (row + 8 * number) & 127))
          }
        }
        for plane in [u, v] {
          for row in 0..<plane.height {
            let line = plane.bytes + row * plane.stride
            for column in 0..<plane.width { line[column] = UInt8(96 + (column + row) & 63) }
          }
        }
      }
    }
  }
}
