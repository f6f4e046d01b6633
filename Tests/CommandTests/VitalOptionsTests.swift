import BunnyBroadcast
import BunnyCommand
import Testing

@Suite struct VitalOptionsTests {
  private func vitals(_ arguments: String...) throws -> VitalLimits {
    let to = ["publish", "--to", "rtmp://host/app/key"]
    guard case .publish(let options) = try Invocation(to + arguments) else {
      throw CommandError(.usage, "no publish")
    }
    return options.vitals
  }

  @Test func `the limits of what counts as dead are read`() throws {
    var expected = VitalLimits()
    #expect(try vitals() == expected)
    (expected.frozenAfter, expected.blackAfter) = (.seconds(600), nil)
    (expected.silentAfter, expected.silentBelow) = (nil, -55.5)
    #expect(
      try vitals(
        "--frozen-after", "10m", "--black-after", "off", "--silent-after", "0", "--silent-below",
        "-55.5") == expected)
  }

  @Test(arguments: [
    ("--frozen-after", "1", "it takes 2 s to 1 h, or off"),
    ("--black-after", "2h", "it takes 2 s to 1 h, or off"),
    ("--silent-below", "-130", "it takes dBFS, -120 to -10"),
    ("--silent-below", "quiet", "it takes dBFS, -120 to -10"),
  ])
  func `what cannot be is a usage error that says what can`(
    _ option: String, _ value: String, _ takes: String
  ) {
    #expect(throws: CommandError(.usage, "\(option) is \(value); \(takes)")) {
      try vitals(option, value)
    }
  }
}
