import BunnyBroadcast
import BunnyStreamAPI
import BunnySystem
import Glibc
import Synchronization

/// `streams`: asks Bunny's API, and prints what came of it. Ctrl-C ends the process.
func askAboutStreams(
  _ options: StreamsOptions, _ environment: [String: String]
) throws(CommandError) {
  if options.action.needsConsent && !options.isSure && !Consent.canBeAsked {
    throw CommandError(
      .usage,
      "\(options.action.rawValue) asks first, and there is no terminal to ask at; give --yes")
  }
  let (library, api) = try options.api.connect(
    LiveEnvironment(environment), retry: .standard
  ) { warning in
    complain("warning: \(warning)")
  }
  let run = StreamsRun(options: options, library: library, api: api.liveStreams)
  let outcome = Outcome()
  Task.detached {
    do throws(CommandError) {
      try await run.run()
      outcome.keep(nil)
    } catch { outcome.keep(error) }
  }
  if let error = outcome.wait() { throw error }
}

private struct StreamsRun: Sendable {
  /// Seconds between two looks at the status.
  private static let pace = Duration.seconds(5)

  let options: StreamsOptions
  let library: Int
  let api: DefaultLiveStreamRepository

  private var text: StreamsText { StreamsText(showsKey: options.showsKey) }
  private var id: String { options.streamId }

  func run() async throws(CommandError) {
    switch options.action {
    case .list:
      let page = try await ask { () async throws(BunnyLiveStreamError) in try await list() }
      try print(text.list(page), text.json(page))
    case .show: try show(try await stream())
    case .create: try show(try await created())
    case .start:
      try await ask { () async throws(BunnyLiveStreamError) in
        try await api.startLiveStream(libraryId: library, streamId: id)
      }
      try printDone()
    case .stop:
      try await agree()
      try await ask { () async throws(BunnyLiveStreamError) in
        try await api.stopLiveStream(libraryId: library, streamId: id)
      }
      try printDone()
    case .regenerateKey:
      try await agree()
      try show(
        try await ask { () async throws(BunnyLiveStreamError) in
          try await api.regenerateStreamKey(libraryId: library, streamId: id)
        })
    case .status: try await status()
    }
  }

  private func list() async throws(BunnyLiveStreamError) -> BunnyLiveStreamList {
    let page = options.page
    return try await api.listLiveStreams(
      libraryId: library, page: page.number, itemsPerPage: page.size, search: page.search,
      orderBy: page.order, collectionId: page.collectionId)
  }

  private func created() async throws(CommandError) -> BunnyLiveStream {
    do throws(BunnyLiveStreamError) {
      return try await api.createLiveStream(libraryId: library, request: options.request)
    } catch {
      let failure = CommandError(error)
      // A refusal is an answer; without one nobody knows.
      guard !error.isPermanent else { throw failure }
      throw CommandError(
        failure.code,
        "\(failure); it may have been made all the same: see `bunny-broadcast streams list` first")
    }
  }

  private func stream() async throws(CommandError) -> BunnyLiveStream {
    try await ask { () async throws(BunnyLiveStreamError) in
      try await api.getLiveStream(libraryId: library, streamId: id)
    }
  }

  private typealias Look = (state: BunnyLiveStreamStatus, status: BunnyLiveStreamIngestStatus)

  /// Once, or again and again until the stream is over; what may pass is told of, and asked again.
  private func status() async throws(CommandError) {
    var isFirst = true
    while true {
      switch await look() {
      case .success(let look):
        try tell(look, isFirst: isFirst)
        isFirst = false
        if !options.watches || look.state.isOver { return }
      case .failure(let error):
        guard options.watches, !error.isPermanent else { throw CommandError(error) }
        complain("\(error); asking again")
      }
      _ = try? await Task.sleep(for: Self.pace)
    }
  }

  private func tell(_ look: Look, isFirst: Bool) throws(CommandError) {
    let json = StreamsText.json(look.status, look.state)
    try printOut(
      options.asJSON
        ? (options.watches ? json.line : json.page()) + "\n"
        : text.status(look.status, look.state, isFirst: isFirst))
  }

  private func look() async -> Result<Look, BunnyLiveStreamError> {
    do throws(BunnyLiveStreamError) {
      let state = try await api.getLiveStream(libraryId: library, streamId: id).status
      return .success((state, try await api.ingestStatus(libraryId: library, streamId: id)))
    } catch {
      return .failure(error)
    }
  }

  /// Somebody at the terminal, or `--yes`, has to want it.
  private func agree() async throws(CommandError) {
    if options.isSure { return }
    if Consent.isGiven(to: StreamsText.question(options.action, try await stream())) { return }
    throw CommandError(.declined, "the stream stays as it is")
  }

  private func show(_ stream: BunnyLiveStream) throws(CommandError) {
    try print(text.details(stream), text.json(stream))
  }

  private func printDone() throws(CommandError) {
    try print(StreamsText.done(options.action, id), StreamsText.json(options.action, id))
  }

  private func print(_ text: String, _ json: JSONValue) throws(CommandError) {
    try printOut(options.asJSON ? json.page() + "\n" : text)
  }

  private func ask<Answer>(
    _ call: () async throws(BunnyLiveStreamError) -> Answer
  ) async throws(CommandError) -> Answer {
    do throws(BunnyLiveStreamError) {
      return try await call()
    } catch {
      throw CommandError(error)
    }
  }
}

/// A question at the terminal.
private enum Consent {
  /// Whether somebody can read a question and answer it.
  static var canBeAsked: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  static func isGiven(to question: String) -> Bool {
    var question = question
    _ = question.withUTF8 { writeBytes($0, to: STDERR_FILENO) }
    let answer = readLine()?.lowercased() ?? ""
    return answer == "y" || answer == "yes"
  }
}

/// What the task on Swift's pool came to, for the main thread that waits for it.
private final class Outcome: Sendable {
  private let isThere = WakeEvent()
  private let error = Mutex<CommandError?>(nil)

  func keep(_ error: CommandError?) {
    self.error.withLock { $0 = error }
    isThere.signal()
  }

  func wait() -> CommandError? {
    isThere.wait(until: .distantFuture)
    return error.withLock { $0 }
  }
}

extension CommandError {
  /// What was not even sent is a mistake in what was asked for.
  init(_ error: BunnyLiveStreamError) {
    let isUnsent = error.kind == .invalidRequest && error.statusCode == nil
    self.init(isUnsent ? .usage : ExitCode(error.kind), error.description)
  }
}
