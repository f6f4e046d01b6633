import BunnyInspect
import BunnySystem
import Foundation
import Support
import Testing

/// `bunny-broadcast` that broadcasts what the lab's devices deliver, small, to a real ingest.
struct LabBroadcast {
  /// A line of `--events json`, with what tests look at.
  struct Saying: Decodable {
    let event: String
    let monotonicMs: Int64
    var reason: String?
    var source: String?
    var capturedFrames: Int?
    var repeatedFrames: Int?
    var skippedFrames: Int?
    var missedFrames: Int?
    var encodedFrames: Int?
    var droppedFrames: Int?
    var publishedFrames: Int?
    var filledSamples: Int?
    var decodeErrors: Int?
    var connections: Int?
    var elapsedMs: Double?
    var liveMs: Double?
    var handlingP99Ms: Double?
  }

  let nginx: NginxIngest
  let command: ChildProcess
  private let small: SmallPublish

  init(_ small: SmallPublish, _ more: [String] = []) async throws {
    self.small = small
    nginx = try await NginxIngest()
    command = try Command.start(small.arguments(to: nginx.url(), "--events", "json") + more)
  }

  /// All that was said up to now.
  var sayings: [Saying] { get throws { try Self.read(command.standardOutput) } }

  private static func read(_ text: String) throws -> [Saying] {
    try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
      try JSONDecoder().decode(Saying.self, from: Data($0.utf8))
    }
  }

  /// Waits for an event, the `count`th of its name.
  @discardableResult
  func says(_ event: String, _ count: Int = 1, atMost seconds: Double = 30) async throws -> Saying {
    let name = #""event":"\#(event)""#
    try await command.waitForOutput(in: .output, atMost: seconds) {
      $0.ranges(of: name).count >= count && $0.hasSuffix("\n")
    }
    return try #require(try sayings.filter { $0.event == event }.dropFirst(count - 1).first)
  }

  /// Waits for statistics of which that is true.
  func statistics(
    atMost seconds: Double = 30, where isMeant: @escaping @Sendable (Saying) -> Bool
  ) async throws {
    try await command.waitForOutput(in: .output, atMost: seconds) { text in
      let sayings = (try? Self.read(text)) ?? []
      return sayings.last { $0.event == "statistics" }.map(isMeant) ?? false
    }
  }

  /// Waits for what is told within three seconds.
  func nextStatistics() async throws {
    let told = try sayings.count { $0.event == "statistics" }
    try await says("statistics", told + 1)
  }

  /// What a broadcast left behind.
  struct Ending {
    let path: String
    let sayings: [Saying]
    let report: Report
    /// The totals.
    var totals: Saying { sayings[sayings.count - 1] }
    /// Of cameras and microphones, what came and went.
    var turns: [String] {
      sayings.map(\.event).filter { $0.hasSuffix("Lost") || $0.hasSuffix("Back") }
    }
  }

  /// Waits for the end, unless it is ended here. Of every broadcast hold: one connection, rising times,
  /// a keyframe each second, nothing dropped.
  func end(
    byItself: Bool = false, framesPerSecond: Int = 15, atMost seconds: Double = 60,
    location: SourceLocation = #_sourceLocation
  ) async throws -> Ending {
    if !byItself { command.send(SIGTERM) }
    let outcome = try await command.outcome(atMost: seconds)
    try #require(outcome.exitStatus == 0, "\(outcome)", sourceLocation: location)
    let path = try await nginx.recordings()[0]
    let ending = Ending(path: path, sayings: try sayings, report: try inspect(path))
    let video = try #require(ending.report.video, sourceLocation: location)
    #expect(ending.totals.connections == 1, sourceLocation: location)
    #expect(ending.totals.droppedFrames == 0, "\(outcome)", sourceLocation: location)
    #expect(video.packets.dtsNotRising == 0 && video.decodeErrors == 0, sourceLocation: location)
    #expect(
      video.keyframeFrames.allSatisfy { $0 == framesPerSecond }, "\(video.keyframeFrames)",
      sourceLocation: location)
    return ending
  }
}
