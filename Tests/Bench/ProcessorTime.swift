import Foundation

/// What the machine's processors have done.
enum ProcessorTime {
  /// Seconds of work since the machine started, all processes and cores together.
  static func busySeconds() throws -> Double {
    let text = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
    // user, nice, system, idle, iowait, irq, softirq, steal
    let ticks = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8)
      .compactMap { Double($0) }
    guard ticks.count == 8 else { throw BenchFailure(69, "/proc/stat is not as expected") }
    return (ticks.reduce(0, +) - ticks[3] - ticks[4]) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
