package import BunnyBroadcast
package import BunnyStreamAPI

/// Which live stream of Bunny's, and how to reach its API. Nothing is read yet.
package struct LiveOptions: Equatable, Sendable {
  /// Empty when it is yet to be made.
  package var streamId: String
  /// The title of a stream to make.
  package var title: String?
  package var api = APIOptions()
  package var startsStream = true
  package var startsNow = false
  package var endsOnExit = false
  package var onEnded = LivePlan.OnEnded.exit
  package var takesOver = false
  /// For the shell, whenever a stream was made.
  package var onStreamCreated: String?

  package init(streamId: String) { self.streamId = streamId }

  init(_ arguments: Arguments) throws(CommandError) {
    title = arguments.value("--create")
    streamId = try Self.stream(arguments)
    api = try APIOptions(arguments)
    startsStream = !arguments.has("--no-start")
    startsNow = arguments.has("--start-now")
    endsOnExit = try arguments.choice("--on-exit", ["leave", "end"], or: "leave") == "end"
    let endings = LivePlan.OnEnded.allCases.map(\.rawValue)
    onEnded = .init(
      rawValue: try arguments.choice("--on-ended", endings, or: onEnded.rawValue))!
    takesOver = arguments.has("--takeover")
    onStreamCreated = arguments.value("--on-stream-created")
    guard startsStream || !startsNow else {
      throw CommandError(.usage, "--start-now and --no-start are opposites; leave one of them out")
    }
    guard onStreamCreated == nil || title != nil || onEnded == .create else {
      throw CommandError(
        .usage,
        "--on-stream-created has nothing to do: no stream is made without --create or --on-ended "
          + "create")
    }
  }

  private static func stream(_ arguments: Arguments) throws(CommandError) -> String {
    guard let title = arguments.value("--create") else { return try guid(arguments) }
    guard arguments.value("--stream") == nil else {
      throw CommandError(
        .usage, "--create makes a stream, and --stream names one; leave one of them out")
    }
    guard title.contains(where: { !$0.isWhitespace }) else {
      throw CommandError(.usage, "--create takes the stream's title, which is blank")
    }
    return ""
  }

  private static func guid(_ arguments: Arguments) throws(CommandError) -> String {
    guard let stream = arguments.value("--stream") else {
      throw CommandError(
        .usage,
        "--stream is missing; write --stream GUID, as Bunny's dashboard shows it, or --create TITLE"
      )
    }
    guard isGUID(stream) else {
      throw CommandError(
        .usage,
        "--stream takes a GUID of 32 hexadecimal digits with four hyphens, as Bunny's dashboard "
          + "shows it, and not a stream key")
    }
    return stream
  }

  static func isGUID(_ text: String) -> Bool {
    text.wholeMatch(of: #/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/#) != nil
  }
}

/// The settings that come from the environment.
package struct LiveEnvironment: Sendable {
  static let names = [
    "BUNNY_ACCESS_KEY", "BUNNY_LIBRARY_ID", "BUNNY_API_URL", "CREDENTIALS_DIRECTORY",
  ]
  private let values: [String: String]

  /// - Parameter values: by their names; an empty one counts as none.
  package init(_ values: [String: String]) { self.values = values.filter { !$0.value.isEmpty } }

  subscript(name: String) -> String? { values[name] }
}

extension LiveOptions {
  /// Finds all settings and makes the client.
  ///
  /// - Parameter warn: told what is odd, and no reason to stop.
  package func connection(
    _ environment: LiveEnvironment, warn: (String) -> Void
  ) throws(CommandError) -> (plan: LivePlan, api: BunnyStreamAPI) {
    // No retries below the broadcast's own, which go on for ever and are told of.
    let (library, api) = try api.connect(environment, retry: .never, warn: warn)
    var plan = LivePlan(libraryId: library, streamId: streamId)
    if let title { plan.creates = BunnyLiveStreamCreateRequest(title: title) }
    (plan.startsStream, plan.startsNow) = (startsStream, startsNow)
    (plan.onEnded, plan.takesOver) = (onEnded, takesOver)
    return (plan, api)
  }
}
