package import BunnyStreamAPI

/// What `streams` can do.
package enum StreamsAction: String, CaseIterable, Sendable {
  case list, show, create, start, stop, status
  case regenerateKey = "regenerate-key"

  /// What stands behind it.
  private var operand: String? {
    switch self {
    case .list: nil
    case .create: "TITLE"
    case .show, .start, .stop, .status, .regenerateKey: "GUID"
    }
  }

  var usage: String { rawValue + (operand.map { " \($0)" } ?? "") }

  /// For the help.
  var summary: String {
    switch self {
    case .list: "the library's live streams, a page of them"
    case .show: "all that Bunny tells of a stream"
    case .create: "make a stream"
    case .start: "show a stream in preview to viewers"
    case .stop: "end a stream for good; it can never run again"
    case .status: "what the ingests see of a stream"
    case .regenerateKey: "give a stream another key; the old one is void at once"
    }
  }

  /// Whether somebody must agree to it.
  var needsConsent: Bool { self == .stop || self == .regenerateKey }

  /// The options that only some actions take.
  fileprivate var options: Set<String> {
    switch self {
    case .list: ["--show-key", "--page", "--per-page", "--search", "--order-by", "--collection"]
    case .show: ["--show-key"]
    case .create:
      [
        "--show-key", "--collection", "--description", "--start-at", "--end-at", "--countdown",
        "--record", "--dvr", "--private", "--trailer",
      ]
    case .start: []
    case .stop: ["--yes"]
    case .status: ["--watch"]
    case .regenerateKey: ["--yes", "--show-key"]
    }
  }

  fileprivate func takes(_ option: OptionSpec) -> Bool {
    options.contains(option.name) || !Self.allCases.contains { $0.options.contains(option.name) }
  }

  /// What it is given: nil for ``list``.
  fileprivate func operand(in operands: ArraySlice<String>) throws(CommandError) -> String? {
    guard let operand else {
      guard operands.isEmpty else {
        throw CommandError(.usage, "\(rawValue) takes options only; leave out what follows it")
      }
      return nil
    }
    guard let text = operands.first, operands.count == 1 else {
      throw CommandError(
        .usage,
        "\(rawValue) takes one \(operand); \(operands.count) were given"
          + (self == .create ? ": put the title in quotes" : ""))
    }
    guard self == .create || LiveOptions.isGUID(text) else {
      throw CommandError(
        .usage,
        "\(rawValue) takes a GUID of 32 hexadecimal digits with four hyphens, as `bunny-broadcast "
          + "streams list` shows it")
    }
    return text
  }
}

/// What `streams` was asked for. Nothing is read yet.
package struct StreamsOptions: Equatable, Sendable {
  package var action: StreamsAction
  package var api = APIOptions()
  /// The stream that it is about; empty for ``StreamsAction/list`` and ``StreamsAction/create``.
  package var streamId = ""
  package var asJSON = false
  package var showsKey = false
  /// Nobody is asked.
  package var isSure = false
  package var watches = false
  package var page = StreamsPage()
  /// What is to be made.
  package var request = BunnyLiveStreamCreateRequest(title: "")

  package init(_ action: StreamsAction) { self.action = action }

  init(_ arguments: Arguments) throws(CommandError) {
    let names = StreamsAction.allCases.map(\.rawValue)
    guard let name = arguments.operands.first else {
      throw CommandError(
        .usage,
        "streams takes an action: \(names.joined(separator: ", ")); "
          + "`bunny-broadcast streams --help` explains them")
    }
    guard let action = StreamsAction(rawValue: name) else {
      throw Self.unknown(name, among: names)
    }
    self.action = action
    if let option = OptionSpec.streams.first(where: { arguments.names($0) && !action.takes($0) }) {
      throw CommandError(
        .usage, "\(option.name) is nothing to \(action.rawValue); leave it out")
    }
    let operand = try action.operand(in: arguments.operands.dropFirst()) ?? ""
    api = try APIOptions(arguments)
    asJSON = arguments.has("--json")
    showsKey = arguments.has("--show-key")
    isSure = arguments.has("--yes")
    watches = arguments.has("--watch")
    page = try StreamsPage(arguments)
    if action == .create {
      request = try BunnyLiveStreamCreateRequest(title: operand, arguments)
    } else {
      streamId = operand
    }
  }

  /// Not shown unless it is a plain word: it may be a key.
  private static func unknown(_ name: String, among names: [String]) -> CommandError {
    let isPlain =
      name.count <= 24 && name.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D }
    return CommandError(
      .usage,
      "\(isPlain ? name : "what follows streams") is no action of streams; it takes "
        + "\(names.dropLast().joined(separator: ", ")) or \(names.last!)")
  }
}

/// Which page of streams, and which of them.
package struct StreamsPage: Equatable, Sendable {
  package var number: Int?
  package var size: Int?
  package var search: String?
  package var order: String?
  package var collectionId: String?

  package init() {}

  init(_ arguments: Arguments) throws(CommandError) {
    number = try arguments.count("--page")
    size = try arguments.count("--per-page")
    search = arguments.value("--search")
    let orders = ["date", "title", "status", "started", "ended", "planned"]
    let order = try arguments.choice("--order-by", orders, or: "")
    self.order = order.isEmpty ? nil : order
    collectionId = arguments.value("--collection")
  }
}

extension BunnyLiveStreamCreateRequest {
  fileprivate init(title: String, _ arguments: Arguments) throws(CommandError) {
    self.init(title: title)
    description = arguments.value("--description")
    collectionId = arguments.value("--collection")
    scheduledStartTime = try arguments.date("--start-at")
    scheduledEndTime = try arguments.date("--end-at")
    if arguments.has("--private") { isPublic = false }
    if arguments.has("--record") { recordVod = true }
    if arguments.has("--countdown") { enableCountdown = true }
    preStreamTrailerVideoId = arguments.value("--trailer")
    if let text = arguments.value("--dvr") {
      dvrEnabled = true
      let window = try DurationText.read(text, option: "--dvr")
      dvrWindowSeconds = Int((window / .seconds(1)).rounded(.up))
    }
  }
}

extension Arguments {
  fileprivate func names(_ option: OptionSpec) -> Bool {
    has(option.name) || value(option.name) != nil
  }

  fileprivate func count(_ name: String) throws(CommandError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), (1...Int(Int32.max)).contains(number) else {
      throw CommandError(.usage, "\(name) is \(text); it takes a number from 1 on")
    }
    return number
  }
}

extension OptionSpec {
  static let streams =
    api + [
      OptionSpec("--json", nil, "Write JSON: one object, or one a line with --watch."),
      OptionSpec("--show-key", nil, "Show stream keys, which are ••• otherwise."),
      OptionSpec(
        "--yes", nil,
        "Do not ask before a stop or a regenerate-key. Needed where there is no terminal."),
      OptionSpec(
        "--watch", nil, "Ask for the status every five seconds, until the stream is over."),
      OptionSpec("--page", "N", "list: this page; the first is 1."),
      OptionSpec("--per-page", "N", "list: so many on a page. Bunny's choice: 100."),
      OptionSpec("--search", "TEXT", "list: those with TEXT in the title."),
      OptionSpec(
        "--order-by", "WHAT", "list: date (Bunny's choice), title, status, started, ended, planned."
      ),
      OptionSpec("--collection", "GUID", "list, create: in this collection."),
      OptionSpec("--description", "TEXT", "create: what the stream is about."),
      OptionSpec("--start-at", "TIME", "create: planned for TIME, as in 2026-12-24T18:00:00Z."),
      OptionSpec("--end-at", "TIME", "create: planned until TIME."),
      OptionSpec("--countdown", nil, "create: viewers see how long it is to --start-at."),
      OptionSpec("--record", nil, "create: keep it as a video."),
      OptionSpec("--dvr", "TIME", "create: viewers can go back for TIME, at most 12h."),
      OptionSpec("--private", nil, "create: not everybody may watch."),
      OptionSpec("--trailer", "GUID", "create: show this video before it starts."),
      help,
    ]
}
