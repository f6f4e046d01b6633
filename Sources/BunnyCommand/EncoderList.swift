package import BunnyBroadcast
import BunnyMedia

/// What `encoders` was asked for.
package struct EncoderListOptions: Equatable, Sendable {
  package var asJSON = false
  /// A built-in name or the path of a file; nil: every built-in one.
  package var quality: String?

  package init(asJSON: Bool = false, quality: String? = nil) {
    (self.asJSON, self.quality) = (asJSON, quality)
  }
}

/// What `encoders` prints.
package enum EncoderList {
  static func text(_ options: EncoderListOptions) throws(CommandError) -> String {
    FFmpegLog.send(.off) { _ in }  // what matters is in the list
    let qualities = try qualities(options)
    do throws(BroadcastError) {
      let survey = try EncoderSurvey(qualities)
      return options.asJSON ? json(survey) : text(survey)
    } catch { throw CommandError(ExitCode(error), error.description) }
  }

  package static func text(_ survey: EncoderSurvey) -> String {
    let encoders = survey.encoders.map { encoder in
      "  " + padded(encoder.kind.rawValue, 14) + (encoder.problem.map { "no: \($0)" } ?? "works")
    }
    let head =
      "  " + padded("quality", 16) + padded("encoder", 14) + padded("effort", 10)
      + padded("a picture", 12) + padded("of one", 9) + "a third stays free"
    let count = fixed(survey.processors, 1)
    let lines =
      ["Encoders"] + encoders + [
        "", "What they take of \(survey.model), of which there are \(count)",
      ]
      + [head] + survey.costs.map(row)
    return lines.map { $0 + "\n" }.joined()
  }

  private static func row(_ cost: EncoderSurvey.Cost) -> String {
    "  " + padded(cost.quality, 16) + padded(cost.kind.rawValue, 14)
      + padded(cost.effort.map { "\($0)" } ?? "", 10)
      + padded("\(fixed(cost.milliseconds, 1)) ms", 12)
      + padded("\(fixed(cost.share * 100, 0)) %", 9) + (cost.leavesAThird ? "yes" : "no")
  }

  package static func json(_ survey: EncoderSurvey) -> String {
    let encoders = survey.encoders.map { encoder in
      JSONValue.object([
        .init("name", .string(encoder.kind.rawValue)),
        .init("works", .bool(encoder.problem == nil)),
        .init("problem", encoder.problem.map { .string($0) } ?? .null),
      ])
    }
    let costs = survey.costs.map { cost in
      JSONValue.object([
        .init("quality", .string(cost.quality)), .init("encoder", .string(cost.kind.rawValue)),
        .init("effort", cost.effort.map { .string("\($0)") } ?? .null),
        .init("pictureMs", .number((cost.milliseconds * 1000).rounded() / 1000)),
        .init("share", .number((cost.share * 1000).rounded() / 1000)),
        .init("leavesAThird", .bool(cost.leavesAThird)),
      ])
    }
    return JSONValue.object([
      .init("model", .string(survey.model)), .init("processors", .number(survey.processors)),
      .init("encoders", .array(encoders)), .init("costs", .array(costs)),
    ]).page() + "\n"
  }

  private static func qualities(
    _ options: EncoderListOptions
  ) throws(CommandError) -> [(name: String, quality: BroadcastQuality)] {
    guard let name = options.quality else { return BroadcastQuality.presets }
    do {
      return [(name, try BroadcastQuality(named: name))]
    } catch {
      throw CommandError(ExitCode(error), "--quality: \(error)")
    }
  }
}
