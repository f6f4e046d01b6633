package import BunnyBroadcast
import BunnyRTMP
package import BunnyStreamAPI
import Glibc

/// Which live stream of Bunny's, and how to reach its API. Nothing is read yet.
package struct LiveOptions: Equatable, Sendable {
  package var streamId: String
  package var library: String?
  package var accessKeyFile: String?
  package var apiURL: String?
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
    library = arguments.value("--library")
    accessKeyFile = arguments.value("--access-key-file")
    apiURL = arguments.value("--api-url")
    startsStream = !arguments.has("--no-start")
    endsOnExit = try arguments.choice("--on-exit", ["leave", "end"], or: "leave") == "end"
  }

  private static func isGUID(_ text: String) -> Bool {
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
    let library = try libraryId(environment)
    let key = try accessKey(environment, warn: warn)
    var plan = LivePlan(libraryId: library, streamId: streamId)
    plan.startsStream = startsStream
    return (plan, BunnyStreamAPI(accessKey: key, baseURL: try baseURL(environment)))
  }

  private func libraryId(_ environment: LiveEnvironment) throws(CommandError) -> Int {
    guard let text = library ?? environment["BUNNY_LIBRARY_ID"] else {
      throw CommandError(
        .settingMissing,
        "the video library's id is missing; give --library ID, or BUNNY_LIBRARY_ID in the "
          + "environment")
    }
    guard let id = Int(text), id > 0 else {
      let source = library == nil ? "BUNNY_LIBRARY_ID" : "--library"
      throw CommandError(
        .usage, "\(source) is no library id; it takes the number that Bunny's dashboard shows")
    }
    return id
  }

  private func accessKey(
    _ environment: LiveEnvironment, warn: (String) -> Void
  ) throws(CommandError) -> BunnyAccessKey {
    let credential = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/bunny-access-key" }
    // One that is there and cannot be reached is told of, and not taken for none.
    let hasCredential = credential.map { access($0, F_OK) == 0 || errno != ENOENT } ?? false
    let key: BunnyAccessKey
    if let file = accessKeyFile {
      key = BunnyAccessKey(try KeyFile.read(file, from: .option("--access-key-file"), warn: warn))
    } else if let text = environment["BUNNY_ACCESS_KEY"] {
      key = BunnyAccessKey(text)
    } else if let file = credential, hasCredential {
      key = BunnyAccessKey(try KeyFile.read(file, from: .credential, warn: { _ in }))
    } else {
      throw CommandError(
        .settingMissing,
        "the library's access key is missing; give BUNNY_ACCESS_KEY in the environment, "
          + "--access-key-file FILE, or the systemd credential bunny-access-key")
    }
    if let problem = key.problem {
      throw CommandError(.usage, "the access key \(problem); copy it anew from Bunny's dashboard")
    }
    return key
  }

  private func baseURL(_ environment: LiveEnvironment) throws(CommandError) -> BunnyAPIBaseURL {
    guard let text = apiURL ?? environment["BUNNY_API_URL"] else { return .bunny }
    do {
      return try BunnyAPIBaseURL(text)
    } catch {
      throw CommandError(.usage, "\(apiURL == nil ? "BUNNY_API_URL" : "--api-url"): \(error)")
    }
  }
}
