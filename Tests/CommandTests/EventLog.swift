import Foundation
import Support
import Testing

/// What `--events json` wrote.
struct EventLog {
  /// One line: every key that a test looks at.
  struct Line: Decodable, Equatable {
    var v: Int
    var at: String
    var monotonicMs: Int64
    var event: String
    var ingest: String?
    var state: String?
    var reason: String?
    var message: String?
    var attempt: Int?
    var afterMs: Int?
    var isMuted: Bool?
    var exitCode: Int32?
    var eventsLost: Int?
    var elapsedMs: Double?
    var framesPerSecond: Double?
    var bitrate: Double?
    var to: Double?
    var capturedFrames: Int?
    var encodedFrames: Int?
    var droppedFrames: Int?
    var publishedFrames: Int?
    var connections: Int?
    var bytes: Int?
    var liveMs: Double?
  }

  let lines: [Line]
  var names: [String] { lines.map(\.event) }
  func all(_ event: String) -> [Line] { lines.filter { $0.event == event } }

  /// - Throws: Also when a line is no JSON object, or has not the keys that all have.
  init(_ text: String) throws {
    lines = try text.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
  }

  /// What holds for every log of a broadcast that was begun.
  func check(_ location: SourceLocation = #_sourceLocation) {
    #expect(names.first == "begin" && names.last == "ended", sourceLocation: location)
    #expect(all("begin").count == 1 && all("ended").count == 1, sourceLocation: location)
    for (line, next) in zip(lines, lines.dropFirst()) {
      #expect(line.monotonicMs <= next.monotonicMs, sourceLocation: location)
    }
    for line in lines {
      #expect(line.v == 1, sourceLocation: location)
      let isTime = line.at.wholeMatch(of: #/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil
      #expect(isTime, "\(line.at)", sourceLocation: location)
    }
  }
}

extension ChildProcess {
  /// Waits for one more of these events than there were when `happening` began.
  func saysAgain(_ event: String, after happening: () throws -> Void) async throws {
    let text = #""event":"\#(event)""#
    let before = standardOutput.ranges(of: text).count
    try happening()
    try await waitForOutput(in: .output) { $0.ranges(of: text).count > before }
  }
}
