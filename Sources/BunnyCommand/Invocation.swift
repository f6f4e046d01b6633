import BunnyBroadcast

/// What the command line asked for, as a value.
package enum Invocation: Equatable, Sendable {
  case publish(PublishOptions)
  case streams(StreamsOptions)
  case inspect(InspectOptions)
  case devices(asJSON: Bool)
  case presets(asJSON: Bool)
  case encoders(EncoderListOptions)
  /// nil: the general help.
  case help(Subcommand?)
  case version

  /// - Parameter arguments: without the program's own name.
  package init(_ arguments: [String]) throws(CommandError) {
    guard let first = arguments.first else {
      throw CommandError(
        .usage,
        "say what to do: --stream GUID, streams, publish, inspect, devices, presets or encoders; "
          + "`bunny-broadcast --help` explains them")
    }
    switch first {
    case "--help", "-h": self = .help(nil)
    case "--version": self = .version
    case _ where first.hasPrefix("--"): try self.init(.live, arguments[...])
    default:
      guard let subcommand = Subcommand(rawValue: first) else { throw Self.unknown(first) }
      try self.init(subcommand, arguments.dropFirst())
    }
  }

  private init(
    _ subcommand: Subcommand, _ arguments: ArraySlice<String>
  ) throws(CommandError) {
    if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
      self = .help(subcommand)
      return
    }
    let arguments = try Arguments(arguments, of: subcommand)
    switch subcommand {
    case .live: self = .publish(try PublishOptions(.live(LiveOptions(arguments)), arguments))
    case .publish: self = .publish(try PublishOptions(.ingest(IngestOptions(arguments)), arguments))
    case .streams: self = .streams(try StreamsOptions(arguments))
    case .inspect: self = .inspect(try InspectOptions(arguments))
    case .devices: self = .devices(asJSON: arguments.has("--json"))
    case .presets: self = .presets(asJSON: arguments.has("--json"))
    case .encoders:
      self = .encoders(
        EncoderListOptions(
          asJSON: arguments.has("--json"), quality: arguments.value("--quality")))
    }
  }

  /// The first argument, when it is nothing. Not shown unless it is a plain word: it may be a URL.
  private static func unknown(_ word: String) -> CommandError {
    let candidates = Subcommand.allCases.map(\.rawValue) + ["--help", "--version"]
    let isPlain =
      word.count <= 24 && word.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D }
    let shown = isPlain ? word : "the first argument"
    let kind = word.hasPrefix("-") ? "no option here" : "no subcommand"
    let hint = didYouMean(word, among: candidates)
    return CommandError(
      .usage,
      "\(shown) is \(kind)"
        + (hint.isEmpty
          ? "; it takes streams, publish, inspect, devices, presets or encoders" : hint))
  }
}

/// What `inspect` was asked for.
package struct InspectOptions: Equatable, Sendable {
  /// A file or a URL.
  package var location: String
  package var asJSON = false
  /// How much of it to read; nil for all.
  package var seconds: Double?

  package init(location: String) { self.location = location }

  init(_ arguments: Arguments) throws(CommandError) {
    guard let location = arguments.operands.first, arguments.operands.count == 1 else {
      throw CommandError(
        .usage,
        "inspect takes one FILE or URL; \(arguments.operands.count) were given")
    }
    self.location = location
    asJSON = arguments.has("--json")
    guard let text = arguments.value("--seconds") else { return }
    guard let seconds = Double(text), seconds > 0, seconds <= 1e9 else {
      throw CommandError(
        .usage, "--seconds is \(text); it takes a number of seconds greater than 0")
    }
    self.seconds = seconds
  }
}
