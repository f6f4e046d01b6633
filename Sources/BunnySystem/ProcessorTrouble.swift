/// Why the processor is slower than it could be: heat, or a power supply that is too weak. Reads what the
/// kernel tells; a Raspberry Pi's firmware takes a millisecond to answer.
package struct ProcessorTrouble: Sendable {
  private let root: String
  private let throttledBefore: Int

  /// - Parameter root: where `/sys` is: "" or a folder of a test's.
  package init(root: String = "") {
    self.root = root
    throttledBefore = Self.throttled(root)
  }

  /// In words, for a sentence: "it is slowed down because it is hot (81 °C)"; nil: nothing is known.
  package var words: String? {
    let causes = [heat, power].compactMap { $0 }
    return causes.isEmpty ? nil : causes.joined(separator: ", and ")
  }

  private var heat: String? {
    let isThrottled =
      isCooled || firmware & 0b1110 != 0 || Self.throttled(root) > throttledBefore
    guard isThrottled else { return nil }
    let degrees = hottest.map { " (\($0) °C)" } ?? ""
    return "it is slowed down because it is hot\(degrees)"
  }

  private var power: String? {
    firmware & 1 != 0 || hasVoltageAlarm ? "its power supply is too weak (undervoltage)" : nil
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

  /// A Raspberry Pi's: bit 0 too little voltage, 1 and 3 held down, 2 throttled, all of this moment.
  private var firmware: Int {
    let path = "\(root)/sys/devices/platform/soc/soc:firmware/get_throttled"
    guard let text = SystemFiles.text(path) else { return 0 }
    return Int(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16) ?? 0
  }

  private var hasVoltageAlarm: Bool {
    folders("/sys/class/hwmon", "hwmon").contains { folder in
      SystemFiles.text("\(folder)/name") == "rpi_volt"
        && SystemFiles.names(in: folder).contains {
          $0.hasSuffix("_lcrit_alarm") && number("\(folder)/\($0)") == 1
        }
    }
  }

  /// How often x86 cores were throttled since the boot.
  private static func throttled(_ root: String) -> Int {
    let processors = "\(root)/sys/devices/system/cpu"
    return SystemFiles.names(in: processors).filter { $0.hasPrefix("cpu") }.reduce(0) { sum, name in
      let count = SystemFiles.text("\(processors)/\(name)/thermal_throttle/core_throttle_count")
      return sum + (count.flatMap { Int($0) } ?? 0)
    }
  }

  private func folders(_ folder: String, _ prefix: String) -> [String] {
    SystemFiles.names(in: root + folder).filter { $0.hasPrefix(prefix) }.map {
      "\(root)\(folder)/\($0)"
    }
  }

  private func number(_ path: String) -> Int? { SystemFiles.text(path).flatMap { Int($0) } }
}
