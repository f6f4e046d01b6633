import BunnySystem
import Foundation

/// What is known of a child process: written by its threads, waited for by tests.
struct ChildState: Sendable {
  private var output: [UInt8] = []
  private var error: [UInt8] = []
  private var outputIsOver = false
  private var errorIsOver = false
  private(set) var usage: rusage?
  private var status: Int32 = 0
  private var endedAt = MonotonicTime(nanoseconds: 0)

  /// It has been reaped, and all it wrote has been read.
  var isOver: Bool { usage != nil && outputIsOver && errorIsOver }

  func isOver(_ stream: ChildProcess.Stream) -> Bool {
    stream == .output ? outputIsOver : errorIsOver
  }

  func text(_ stream: ChildProcess.Stream) -> String {
    String(decoding: stream == .output ? output : error, as: UTF8.self)
  }

  /// The whole lines, without the one being written.
  func lines(_ stream: ChildProcess.Stream) -> [String] {
    let lines = text(stream).split(separator: "\n", omittingEmptySubsequences: false)
    let isWhole = isOver(stream) && lines.last?.isEmpty == false
    return lines.dropLast(isWhole ? 0 : 1).map(String.init)
  }

  /// No bytes: the end of that stream.
  mutating func append(_ bytes: [UInt8], to stream: ChildProcess.Stream) {
    switch stream {
    case .output:
      output += bytes
      outputIsOver = bytes.isEmpty
    case .error:
      error += bytes
      errorIsOver = bytes.isEmpty
    }
  }

  mutating func end(status: Int32, usage: rusage, at time: MonotonicTime) {
    self.status = status
    self.usage = usage
    endedAt = time
  }

  var outcome: ChildProcess.Outcome? {
    guard let usage else { return nil }
    let signal = status & 0x7F
    return ChildProcess.Outcome(
      exitStatus: signal == 0 ? (status >> 8) & 0xFF : nil, signal: signal == 0 ? nil : signal,
      userSeconds: Self.seconds(usage.ru_utime), systemSeconds: Self.seconds(usage.ru_stime),
      peakMemory: usage.ru_maxrss * 1024, endedAt: endedAt, standardOutput: text(.output),
      standardError: text(.error))
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
  }
}
