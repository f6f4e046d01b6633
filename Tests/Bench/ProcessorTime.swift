import Foundation

/// What the processors have done.
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

  /// Seconds that this process has computed, in the kernel too.
  static var ownSeconds: Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { sum, time in
      sum + Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
  }

  /// Seconds that another process has computed up to now, in ticks of the kernel's; nil: it has ended.
  static func seconds(of process: pid_t) -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      let name = text.lastIndex(of: ")")
    else { return nil }
    // Behind the name: the state, ten more, user and system time.
    let ticks = text[name...].split(separator: " ").dropFirst(12).prefix(2).compactMap {
      Double($0)
    }
    return ticks.count == 2 ? ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK))) : nil
  }

  /// Seconds that this process's threads of these names have computed, in the kernel too.
  static func seconds(ofThreads names: Set<String>) throws -> Double {
    var missing = names
    var seconds = 0.0
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
      // In nanoseconds, where `stat` counts whole ticks. A thread that has just ended has no files.
      guard let name = content(of: "comm", thread), names.contains(name),
        let times = content(of: "schedstat", thread)
      else { continue }
      missing.remove(name)
      seconds += (times.split(separator: " ").first.flatMap { Double($0) } ?? .nan) / 1e9
    }
    guard missing.isEmpty, seconds.isFinite else {
      throw BenchFailure(
        70,
        "the kernel's processor times lack those of the threads "
          + names.sorted().joined(separator: ", "))
    }
    return seconds
  }

  private static func content(of file: String, _ thread: String) -> String? {
    (try? String(contentsOfFile: "/proc/self/task/\(thread)/\(file)", encoding: .utf8))?
      .trimmingCharacters(in: .newlines)
  }
}
