package import BunnyMedia
import BunnySystem

/// What encodes on this machine, and what it costs: found out by encoding a second of a moving pattern.
package struct EncoderSurvey {
  package struct Encoder: Equatable, Sendable {
    package let kind: VideoEncoder.Kind
    /// Why it does not work; nil: it does.
    package let problem: String?
  }

  package struct Cost: Equatable, Sendable {
    /// The quality's name, or its file.
    package let quality: String
    package let kind: VideoEncoder.Kind
    /// nil: it has none.
    package let effort: EncoderEffort?
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
  package let costs: [Cost]

  /// Takes a second or so for each effort of each quality. Blocks.
  ///
  /// - Throws: ``BroadcastError/encoder(_:)`` when x264 does not encode.
  package init(
    _ qualities: [(name: String, quality: BroadcastQuality)]
  ) throws(BroadcastError) {
    let facts = ProcessorFacts()
    (model, processors) = (facts.model, facts.usable)
    let first = qualities.first?.quality ?? .default
    encoders = VideoEncoder.Kind.allCases.map { Self.encoder($0, first.videoSettings) }
    var costs: [Cost] = []
    for (name, quality) in qualities {
      for encoder in encoders where encoder.problem == nil {
        let efforts: [EncoderEffort?] =
          encoder.kind == .x264 ? EncoderEffort.allCases.map { $0 } : [nil]
        for effort in efforts {
          costs.append(try Self.cost(name, quality, encoder.kind, effort, facts))
        }
      }
    }
    self.costs = costs
  }

  private static func encoder(
    _ kind: VideoEncoder.Kind, _ settings: VideoEncoder.Settings
  ) -> Encoder {
    var settings = settings
    settings.kind = kind
    // x264's own delay and look-ahead say nothing of whether it works.
    (settings.lookahead, settings.threads) = (0, 1)
    do throws(EncoderProbe.Problem) { _ = try EncoderProbe(settings) } catch {
      return Encoder(kind: kind, problem: error.description)
    }
    return Encoder(kind: kind, problem: nil)
  }

  private static func cost(
    _ name: String, _ quality: BroadcastQuality, _ kind: VideoEncoder.Kind,
    _ effort: EncoderEffort?, _ facts: ProcessorFacts
  ) throws(BroadcastError) -> Cost {
    var settings = quality.videoSettings
    settings.kind = kind
    effort?.apply(to: &settings)
    // Slices and frame threads cost a little more, which is not asked here.
    settings.threads = 1
    do throws(AVFailure) {
      let milliseconds = try measure(settings)
      let share = milliseconds * settings.frameRate.value / 1000
      return Cost(
        quality: name, kind: kind, effort: effort, milliseconds: milliseconds, share: share,
        leavesAThird: share <= facts.usable * 2 / 3)
    } catch { throw .encoder(error) }
  }

  private static func measure(_ settings: VideoEncoder.Settings) throws(AVFailure) -> Double {
    let pictures = MovingPattern.pictures(width: settings.width, height: settings.height)
    let sets =
      settings.kind == .x264 ? [] : (try? EncoderProbe(settings))?.parameterSets ?? []
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
