import BunnyBroadcast

extension VitalLimits {
  /// What the options say of when a source counts as dead.
  init(_ arguments: Arguments) throws(CommandError) {
    self.init()
    frozenAfter = try Self.time("--frozen-after", arguments, or: frozenAfter)
    blackAfter = try Self.time("--black-after", arguments, or: blackAfter)
    silentAfter = try Self.time("--silent-after", arguments, or: silentAfter)
    if let text = arguments.value("--silent-below") { silentBelow = try Self.level(text) }
  }

  /// nil: off.
  private static func time(
    _ option: String, _ arguments: Arguments, or standard: Duration?
  ) throws(CommandError) -> Duration? {
    guard let text = arguments.value(option) else { return standard }
    if text.lowercased() == "off" || text == "0" { return nil }
    let time = try DurationText.read(text, option: option)
    guard (.seconds(2) ... .seconds(3600)).contains(time) else {
      throw CommandError(.usage, "\(option) is \(text); it takes 2 s to 1 h, or off")
    }
    return time
  }

  private static func level(_ text: String) throws(CommandError) -> Double {
    guard let level = Double(text), (-120 ... -10).contains(level) else {
      throw CommandError(.usage, "--silent-below is \(text); it takes dBFS, -120 to -10")
    }
    return level
  }
}
