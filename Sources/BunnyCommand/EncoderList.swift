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
    let survey = EncoderSurvey(qualities)
    return options.asJSON ? json(survey) : text(survey)
  }

  package static func text(_ survey: EncoderSurvey) -> String {
    let encoders = survey.encoders.map { encoder in
      "  " + padded(encoder.kind.rawValue, 14) + (encoder.problem.map { "no: \($0)" } ?? "works")
    }
    let width = max(16, (survey.rows.map(\.quality.count).max() ?? 0) + 1)
    let head =
      "  " + padded("quality", width) + padded("encoder", 14) + padded("effort", 10)
      + padded("a picture", 12) + padded("of one", 9) + "a third stays free"
    let count = fixed(survey.processors, 1)
    let lines =
      ["Encoders"] + encoders + [
        "", "What they take of one processor (\(survey.model)), of which \(count) may be used",
      ]
      + [head] + survey.rows.map { row($0, width) }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func row(_ row: EncoderSurvey.Row, _ width: Int) -> String {
    let what =
      "  " + padded(row.quality, width) + padded(row.kind.rawValue, 14)
      + padded(row.effort.map { "\($0)" } ?? "", 10)
    guard let cost = row.cost else { return what + "no: \(row.problem ?? "")" }
    return what + padded("\(fixed(cost.milliseconds, 1)) ms", 12)
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
    let costs = survey.rows.map { row in
      JSONValue.object([
        .init("quality", .string(row.quality)), .init("encoder", .string(row.kind.rawValue)),
        .init("effort", row.effort.map { .string("\($0)") } ?? .null),
        .init("pictureMs", thousandths(row.cost?.milliseconds)),
        .init("share", thousandths(row.cost?.share)),
        .init("leavesAThird", row.cost.map { .bool($0.leavesAThird) } ?? .null),
        .init("problem", row.problem.map { .string($0) } ?? .null),
      ])
    }
    return JSONValue.object([
      .init("model", .string(survey.model)), .init("processors", .number(survey.processors)),
      .init("encoders", .array(encoders)), .init("costs", .array(costs)),
    ]).page() + "\n"
  }

  private static func thousandths(_ value: Double?) -> JSONValue {
    value.map { .number(($0 * 1000).rounded() / 1000) } ?? .null
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
