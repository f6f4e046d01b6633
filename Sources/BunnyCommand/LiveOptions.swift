package import BunnyBroadcast
package import BunnyStreamAPI

/// Which live stream of Bunny's, and how to reach its API. Nothing is read yet.
package struct LiveOptions: Equatable, Sendable {
  package var streamId: String
  package var api = APIOptions()
  package var startsStream = true
  package var endsOnExit = false

  package init(streamId: String) { self.streamId = streamId }

  init(_ arguments: Arguments) throws(CommandError) {
    guard let stream = arguments.value("--stream") else {
      throw CommandError(
        .usage, "--stream is missing; write --stream GUID, as Bunny's dashboard shows it")
    }
    guard Self.isGUID(stream) else {
      throw CommandError(
        .usage,
        "--stream takes a GUID of 32 hexadecimal digits with four hyphens, as Bunny's dashboard "
          + "shows it, and not a stream key")
    }
    streamId = stream
    api = try APIOptions(arguments)
    startsStream = !arguments.has("--no-start")
    endsOnExit = try arguments.choice("--on-exit", ["leave", "end"], or: "leave") == "end"
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
    plan.startsStream = startsStream
    return (plan, api)
  }
}
