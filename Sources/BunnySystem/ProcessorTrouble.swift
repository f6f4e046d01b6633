/// Why the processor is slower than it could be: heat, or a power supply that is too weak. Reads what the
/// kernel tells; a Raspberry Pi's firmware takes a millisecond to answer.
package struct ProcessorTrouble: Sendable {
  private let root: String
  /// What was counted at the last look and at the one before it: what has just begun is told of also right
  /// after a look, and what is long over is not.
  private var last: Counts
  private var before: Counts

  /// - Parameter root: where `/sys` is: "" or a folder of a test's.
  package init(root: String = "") {
    self.root = root
    last = Counts(root)
    before = last
  }

  /// Forgets what was before the last look. Now and then, say every ten seconds.
  package mutating func look() {
    before = last
    last = Counts(root)
  }

  /// In words, for a sentence: "it is slowed down because it is hot (81 °C)"; nil: nothing is known.
  package var words: String? {
    let now = Counts(root)
    let causes = [heat(now), power(now)].compactMap { $0 }
    return causes.isEmpty ? nil : causes.joined(separator: ", and ")
  }

  private func heat(_ now: Counts) -> String? {
    let isThrottled = now.firmware.since(before.firmware).isHot || now.throttled > before.throttled
    guard isThrottled || isCooled else { return nil }
    let degrees = hottest.map { " (\($0) °C)" } ?? ""
    return "it is slowed down because it is hot\(degrees)"
  }

  private func power(_ now: Counts) -> String? {
    let isWeak = now.firmware.since(before.firmware).isUndervoltage || hasVoltageAlarm
    return isWeak ? "its power supply is too weak (undervoltage)" : nil
  }

  /// The kernel holds the clock down by now.
  private var isCooled: Bool {
    folders("/sys/class/thermal", "cooling_device").contains { folder in
      guard let type = SystemFiles.text("\(folder)/type"), let state = number("\(folder)/cur_state")
      else { return false }
      let isProcessor = ["cpufreq", "thermal-cpufreq", "Processor"].contains { type.hasPrefix($0) }
      return isProcessor && state > 0
    }
  }

  private var hottest: Int? {
    folders("/sys/class/thermal", "thermal_zone").compactMap { number("\($0)/temp") }.max()
      .map { $0 / 1000 }
  }

  private var hasVoltageAlarm: Bool {
    folders("/sys/class/hwmon", "hwmon").contains { folder in
      SystemFiles.text("\(folder)/name") == "rpi_volt"
        && SystemFiles.names(in: folder).contains {
          $0.hasSuffix("_lcrit_alarm") && number("\(folder)/\($0)") == 1
        }
    }
  }

  private func folders(_ folder: String, _ prefix: String) -> [String] {
    SystemFiles.names(in: root + folder).filter { $0.hasPrefix(prefix) }.map {
      "\(root)\(folder)/\($0)"
    }
  }

  private func number(_ path: String) -> Int? { SystemFiles.text(path).flatMap { Int($0) } }
}

/// What the kernel counts, or keeps, since the boot.
private struct Counts: Sendable {
  /// How often x86 cores were throttled.
  let throttled: Int
  let firmware: FirmwareBits

  init(_ root: String) {
    let processors = "\(root)/sys/devices/system/cpu"
    throttled = SystemFiles.names(in: processors).filter { $0.hasPrefix("cpu") }.reduce(0) {
      let count = SystemFiles.text("\(processors)/\($1)/thermal_throttle/core_throttle_count")
      return $0 + (count.flatMap { Int($0) } ?? 0)
    }
    firmware = FirmwareBits(
      SystemFiles.text("\(root)/sys/devices/platform/soc/soc:firmware/get_throttled") ?? "0")
  }
}

/// A Raspberry Pi's `get_throttled`: bit 0 too little voltage, 1 a lower clock, 2 throttled, 3 held down for
/// heat, each at this moment; 16 to 19 the same since the boot.
private struct FirmwareBits: Sendable {
  private let bits: Int

  private init(bits: Int) { self.bits = bits }

  /// - Parameter text: hexadecimal, with or without "0x".
  init(_ text: String) {
    bits = Int(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16) ?? 0
  }

  /// What is now, or has been since then, in bits 0 to 3.
  func since(_ before: FirmwareBits) -> FirmwareBits {
    FirmwareBits(bits: (bits | (bits & ~before.bits) >> 16) & 0xF)
  }

  var isUndervoltage: Bool { bits & 1 != 0 }
  /// Too little voltage lowers the clock and throttles as well.
  var isHot: Bool { bits & 8 != 0 || (bits & 6 != 0 && !isUndervoltage) }
}
