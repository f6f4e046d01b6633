/// What `--help` prints, no line longer than 80 columns.
package enum Help {
  package static func text(_ subcommand: Subcommand?) -> String {
    guard let subcommand else { return general + "\n" + exitCodes }
    let operand = subcommand.operand.map { " \($0)" } ?? ""
    let options = subcommand.options.map(paragraph).joined()
    return """
      bunny-broadcast \(subcommand.rawValue): \(subcommand.summary).

      Usage: bunny-broadcast \(subcommand.usage)\(operand) [OPTION]...

      \(notes(subcommand))Options, as --name VALUE or --name=VALUE:
      \(options)
      \(exitCodes)
      """
  }

  private static let general = """
    bunny-broadcast: a live broadcaster without a screen.

    Usage: bunny-broadcast --stream GUID [OPTION]...
           bunny-broadcast --create TITLE [OPTION]...
           bunny-broadcast SUBCOMMAND [OPTION]...

    The first two broadcast to a live stream of Bunny's; `bunny-broadcast live
    --help` tells their options. Subcommands, each with its own --help:
    \(Subcommand.allCases.map { "  \(padded($0.rawValue, 10))\($0.summary)\n" }.joined())
      bunny-broadcast --help       show this
      bunny-broadcast --version    show the version

    A first try, on a machine without a camera:
      bunny-broadcast publish --video test --to rtmp://localhost/live/test

    """

  private static func notes(_ subcommand: Subcommand) -> String {
    if subcommand == .live { return liveNotes }
    if subcommand == .streams { return streamsNotes }
    guard subcommand == .publish else { return "" }
    return """
      On a terminal, q ends the broadcast, m mutes it, and c goes on to the next of
      several cameras. SIGINT, SIGTERM and SIGHUP end it as asked; another SIGINT or
      SIGTERM after a second kills it.


      """
  }

  private static let liveNotes = """
    The stream is fetched, published to, started when Bunny says it is ready, and
    watched. A stream that was ended can never run again, so only q after a
    question, --duration running out, and --on-exit end do that. Ctrl-C asks first;
    every other end leaves the stream running, and the next start resumes it.


    """

  private static let streamsNotes = """
    Actions:
    \(StreamsAction.allCases.map { "  \(padded($0.usage, 23))\($0.summary)\n" }.joined())

    """

  private static let exitCodes =
    "Exit codes:\n"
    + ExitCode.allCases.map { "  \(padded("\($0.rawValue)", 4))\($0.meaning)\n" }.joined()

  private static func paragraph(_ option: OptionSpec) -> String {
    let head = "  \(option.name)\(option.value.map { " \($0)" } ?? "")"
    let lines = wrapped(option.help, width: 80 - 25)
    let indent = String(repeating: " ", count: 25)
    let first = head.count < 24 ? padded(head, 25) + lines[0] : head + "\n" + indent + lines[0]
    return ([first] + lines.dropFirst().map { indent + $0 }).map { $0 + "\n" }.joined()
  }

  private static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

/// `text`, filled up with spaces to `width`.
func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}
