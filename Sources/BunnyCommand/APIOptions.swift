import BunnyRTMP
package import BunnyStreamAPI
import Glibc

/// How to reach Bunny's API: what `--stream` and `streams` both take. Nothing is read yet.
package struct APIOptions: Equatable, Sendable {
  package var library: String?
  /// `-` is standard input.
  package var accessKeyFile: String?
  /// Headers in place of an access key; `-` is standard input.
  package var headerFile: String?
  package var url: String?
  package var allowsInsecureHTTP = false

  package init() {}

  init(_ arguments: Arguments) throws(CommandError) {
    library = arguments.value("--library")
    accessKeyFile = arguments.value("--access-key-file")
    headerFile = arguments.value("--api-header-file")
    url = arguments.value("--api-url")
    allowsInsecureHTTP = arguments.has("--allow-insecure-api")
    guard headerFile == nil || accessKeyFile == nil else {
      throw CommandError(
        .usage,
        "--api-header-file takes the place of the access key; leave out --access-key-file")
    }
  }

  var readsStandardInput: Bool { accessKeyFile == "-" || headerFile == "-" }

  /// Finds all settings and makes the client.
  ///
  /// - Parameters:
  ///   - retry: which calls the client tries again.
  ///   - warn: told what is odd, and no reason to stop.
  package func connect(
    _ environment: LiveEnvironment, retry: BunnyRetryPolicy, warn: (String) -> Void
  ) throws(CommandError) -> (library: Int, api: BunnyStreamAPI) {
    let library = try libraryId(environment)
    guard headerFile == nil || url != nil || environment["BUNNY_API_URL"] != nil else {
      throw CommandError(
        .settingMissing,
        "--api-header-file is for a service of yours; give its --api-url URL, or BUNNY_API_URL in the "
          + "environment")
    }
    let credential: BunnyAPICredential =
      if let headerFile { try headers(headerFile, warn) } else {
        .accessKey(try accessKey(environment, warn: warn))
      }
    let api = BunnyStreamAPI(
      credential: credential, baseURL: try baseURL(environment), retry: retry)
    return (library, api)
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

  private func headers(
    _ path: String, _ warn: (String) -> Void
  ) throws(CommandError) -> BunnyAPICredential {
    let text = try KeyFile.read(path, from: .headers, warn: warn)
    do {
      return try .headers(text)
    } catch {
      throw CommandError(.usage, "\(KeyFile.Origin.headers.name(of: path)) \(error)")
    }
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
    guard let text = url ?? environment["BUNNY_API_URL"] else { return .bunny }
    let source = url == nil ? "BUNNY_API_URL" : "--api-url"
    do {
      return try BunnyAPIBaseURL(text, allowingClearText: allowsInsecureHTTP)
    } catch .clearText(let host) {
      throw CommandError(
        .usage,
        "\(source): \(BunnyAPIBaseURLError.clearText(host: host)), or give --allow-insecure-api "
          + "where the network between is trusted")
    } catch {
      throw CommandError(.usage, "\(source): \(error)")
    }
  }
}

extension OptionSpec {
  /// What says how to reach Bunny's API.
  static let api = [
    OptionSpec(
      "--library", "ID", "The video library's id; else BUNNY_LIBRARY_ID in the environment."),
    OptionSpec(
      "--access-key-file", "FILE",
      "Take the library's access key from FILE; else BUNNY_ACCESS_KEY in the environment, else "
        + "the file bunny-access-key in $CREDENTIALS_DIRECTORY."),
    OptionSpec(
      "--api-url", "URL",
      "Where Bunny's API is; else BUNNY_API_URL in the environment, else Bunny's own."),
    OptionSpec(
      "--api-header-file", "FILE",
      "Send the headers in FILE, one `Name: value` a line, in place of the access key: to a service "
        + "of yours at --api-url that holds it."),
    OptionSpec(
      "--allow-insecure-api", nil,
      "Let --api-url be http:// to another machine. Whoever listens on the way gets the key."),
  ]
}
