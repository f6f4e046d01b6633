import Glibc

/// What the kernel says of this machine's processors.
package struct ProcessorFacts: Sendable {
  /// Where `/proc` and `/sys` are: "" or a folder of a test's.
  private let root: String

  package init(root: String = "") { self.root = root }

  /// "AMD EPYC", "Raspberry Pi 4 Model B Rev 1.4"; "processor" where nobody says.
  package var model: String {
    if let board = SystemFiles.text("\(root)/proc/device-tree/model") {
      return board.filter { $0 != "\0" }
    }
    return value(of: "model name", in: "\(root)/proc/cpuinfo") ?? "processor"
  }

  /// Names of what it can do, as in `avx2`.
  package var flags: Set<String> {
    let words =
      value(of: "flags", in: "\(root)/proc/cpuinfo")
      ?? value(of: "Features", in: "\(root)/proc/cpuinfo") ?? ""
    return Set(words.split(separator: " ").map(String.init))
  }

  /// Its fastest clock; nil: not said.
  package var gigahertz: Double? {
    let path = "\(root)/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"
    return SystemFiles.text(path).flatMap(Double.init).map { $0 / 1e6 }
  }

  /// What this process may use of them; hardly ever changes.
  package struct Share: Equatable, Sendable {
    /// How many: those it is bound to, less what a quota of its group takes off.
    package let processors: Double
    fileprivate let allowed: Set<Int>?  // nil: all
  }

  package var share: Share {
    let allowed = allowed
    let count = Double(allowed?.count ?? processorCount)
    return Share(processors: max(0.1, min(count, quota ?? count)), allowed: allowed)
  }

  /// How many processors this process may use.
  package var usable: Double { share.processors }

  /// How long each was idle since the boot, of those this process may use, summed up: nanoseconds.
  /// nil: not said.
  package func idleTime(of share: Share) -> Int64? {
    var ticks: Int64?
    // Longer than all lines of processors together is that of the interrupts, which comes after them.
    var rest = SystemFiles.bytes("\(root)/proc/stat")[...]
    while rest.starts(with: "cpu".utf8) {
      var line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      line = line.dropFirst(3)
      guard line.first != UInt8(ascii: " "),  // the sum of all
        let number = Self.number(&line), share.allowed?.contains(Int(number)) ?? true,
        Self.number(&line) != nil, Self.number(&line) != nil, Self.number(&line) != nil,
        let idle = Self.number(&line), let waiting = Self.number(&line)
      else { continue }
      ticks = (ticks ?? 0) + idle + waiting
    }
    return ticks.map { $0 * (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))) }
  }

  /// Takes the next word off a line, in place: this is read four times a second.
  ///
  /// - Returns: nil where it is no number.
  private static func number(_ line: inout ArraySlice<UInt8>) -> Int64? {
    line = line.drop { $0 == UInt8(ascii: " ") }
    let word = line.prefix { $0 != UInt8(ascii: " ") }
    line = line[word.endIndex...]
    var value: Int64?
    for byte in word {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = (value ?? 0) &* 10 &+ Int64(byte - UInt8(ascii: "0"))
    }
    return value
  }

  /// Processor time of all threads of this process, nanoseconds.
  package static var ownTime: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private var allowed: Set<Int>? {
    value(of: "Cpus_allowed_list", in: "\(root)/proc/self/status").map { list in
      Set(
        list.split(separator: ",").flatMap { part -> [Int] in
          let ends = part.split(separator: "-").compactMap { Int($0) }
          guard let first = ends.first, let last = ends.last, first <= last else { return [] }
          return Array(first...last)
        })
    }
  }

  /// Of the control groups this process is in, and of those above, the tightest.
  private var quota: Double? {
    let quotas = SystemFiles.lines("\(root)/proc/self/cgroup").flatMap { line -> [Double] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let isSecond = parts[1].isEmpty
      guard isSecond || parts[1].split(separator: ",").contains("cpu") else { return [] }
      let mount = "\(root)/sys/fs/cgroup" + (isSecond ? "" : "/cpu")
      return folders(String(parts[2])).compactMap { folder in
        isSecond ? quota(second: mount + folder) : quota(first: mount + folder)
      }
    }
    return quotas.min()
  }

  private func folders(_ path: String) -> [String] {
    var folders = [""]
    for part in path.split(separator: "/") { folders.append("\(folders.last!)/\(part)") }
    return folders
  }

  private func quota(second folder: String) -> Double? {
    let words = SystemFiles.text("\(folder)/cpu.max")?.split(separator: " ") ?? []
    guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]), period > 0
    else { return nil }
    return quota / period
  }

  private func quota(first folder: String) -> Double? {
    guard let quota = SystemFiles.text("\(folder)/cpu.cfs_quota_us").flatMap(Double.init),
      let period = SystemFiles.text("\(folder)/cpu.cfs_period_us").flatMap(Double.init),
      quota > 0, period > 0
    else { return nil }
    return quota / period
  }

  private func value(of key: String, in path: String) -> String? {
    for line in SystemFiles.lines(path) where line.hasPrefix(key) {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let text = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return text.isEmpty ? nil : String(text)
    }
    return nil
  }
}
