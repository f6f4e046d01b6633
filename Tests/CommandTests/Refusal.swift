import Foundation
import Support
import Testing

/// How the finished command failed.
struct Refusal: Equatable, CustomStringConvertible {
  var status: Int32?
  /// All that it said on standard error, without program name, time and level.
  var sentence: String

  var description: String { "\(status ?? -1): \(sentence)" }

  /// Runs the command, logging nothing but errors, and expects one line that holds no secret.
  init(
    _ arguments: [String], _ variables: [String: String] = [:], in directory: String? = nil,
    hiding secret: String = Refusal.secret, location: SourceLocation = #_sourceLocation
  ) async throws {
    let isPublish = arguments.first == "publish"
    let outcome = try await Command.run(
      arguments + (isPublish ? ["--log-level", "error"] : []), variables, in: directory)
    self.init(outcome, hiding: secret, location: location)
  }

  init(
    _ outcome: ChildProcess.Outcome, hiding secret: String = Refusal.secret,
    location: SourceLocation = #_sourceLocation
  ) {
    status = outcome.exitStatus
    let lines = outcome.standardError.split(separator: "\n")
    #expect(lines.count == 1, "\(outcome)", sourceLocation: location)
    #expect(!"\(outcome)".contains(secret), sourceLocation: location)
    sentence = (lines.first.map(String.init) ?? "")
      .replacing(#/^bunny-broadcast: |^[-0-9T:.]+Z error /#, with: "")
  }

  init(_ status: Int32, _ sentence: String) {
    self.status = status
    self.sentence = sentence
  }

  /// A stream key that tests look for where it must not be.
  static let secret = "live_CANARY-8f3a91d07c"
}
