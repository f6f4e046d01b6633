import BunnyBroadcast
import BunnyCommand
import Testing

struct HelpTests {
  static let topics: [Subcommand?] = [nil] + Subcommand.allCases

  @Test(arguments: topics)
  func `help fits 80 columns`(_ topic: Subcommand?) {
    for line in Help.text(topic).split(separator: "\n") {
      #expect(line.count <= 80, "\(line)")
    }
  }

  @Test(arguments: topics)
  func `help lists every exit code with its meaning`(_ topic: Subcommand?) {
    for code in ExitCode.allCases {
      #expect(Help.text(topic).contains(code.meaning))
      #expect(Help.text(topic).contains("\n  \(code.rawValue) "))
    }
  }

  @Test(arguments: Subcommand.allCases)
  func `help lists every option with its value`(_ subcommand: Subcommand) {
    for option in subcommand.options {
      let head = "\n  \(option.name)\(option.value.map { " \($0)" } ?? "")"
      #expect(Help.text(subcommand).contains(head))
    }
  }

  @Test func `the general help names every subcommand`() {
    for subcommand in Subcommand.allCases {
      #expect(Help.text(nil).contains("\n  \(subcommand.rawValue) "))
    }
  }

  @Test func `presets are listed in a table`() {
    let table = """
      name            size        rate     video         audio
      sd480           854x480     30 fps   1.20 Mbit/s   128 kbit/s
      hd720           1280x720    30 fps   2.50 Mbit/s   128 kbit/s
      fullHd1080      1920x1080   30 fps   4.50 Mbit/s   128 kbit/s  (the default)
      fullHd1080p60   1920x1080   60 fps   6.00 Mbit/s   128 kbit/s

      """
    #expect(PresetList.text == table)
  }
}
