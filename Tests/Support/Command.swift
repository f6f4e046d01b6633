import Foundation

/// The `bunny-broadcast` that was built together with the tests.
public enum Command {
  /// It lies beside the test bundle that is running.
  public static let path: String = {
    let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ((bundle ?? "") as NSString).deletingLastPathComponent + "/bunny-broadcast"
  }()

  /// An environment without what the command or libcurl in it look at, and with `more`.
  ///
  /// - Parameter shell: what it is made of; nil for the tests' own.
  public static func environment(
    _ more: [String: String] = [:], from shell: [String: String]? = nil
  ) -> [String: String] {
    let variables = shell ?? ProcessInfo.processInfo.environment
    return variables.filter { !isLookedAt($0.key) }.merging(more) { $1 }
  }

  private static func isLookedAt(_ variable: String) -> Bool {
    ["TERM", "NO_COLOR", "CREDENTIALS_DIRECTORY", "STATE_DIRECTORY"].contains(variable)
      || variable.hasPrefix("BUNNY_")
      || ["http_proxy", "https_proxy", "all_proxy", "no_proxy"].contains(variable.lowercased())
  }

  /// What one start learns of this machine is nothing to another: each has a folder of its own for that, which
  /// is gone with `folder`.
  private static func environment(
    _ more: [String: String], _ folder: TemporaryDirectory
  ) -> [String: String] {
    environment(["XDG_STATE_HOME": folder.path].merging(more) { $1 })
  }

  /// Runs it to its end.
  public static func run(
    _ arguments: [String], _ variables: [String: String] = [:], in directory: String? = nil,
    atMost seconds: Double = 60
  ) async throws -> ChildProcess.Outcome {
    try await start(arguments, variables, in: directory).outcome(atMost: seconds)
  }

  /// Starts it.
  public static func start(
    _ arguments: [String], _ variables: [String: String] = [:], in directory: String? = nil,
    takesInput: Bool = false
  ) throws -> ChildProcess {
    let state = try TemporaryDirectory(named: "state")
    return try ChildProcess(
      path, arguments, environment: environment(variables, state), workingDirectory: directory,
      takesInput: takesInput, keeping: state)
  }

  /// Starts `script` in a shell, where `"$0" "$@"` is the command with `arguments`.
  public static func startInShell(
    _ script: String, _ arguments: [String], _ variables: [String: String] = [:],
    in directory: String? = nil
  ) throws -> ChildProcess {
    let state = try TemporaryDirectory(named: "state")
    return try ChildProcess(
      "/bin/sh", ["-c", script, path] + arguments, environment: environment(variables, state),
      workingDirectory: directory, keeping: state)
  }

  /// Starts it, or `script` in a shell, on a terminal.
  public static func startOnTerminal(
    _ arguments: [String], _ variables: [String: String] = ["TERM": "xterm"],
    script: String = #"exec "$0" "$@""#, columns: UInt16 = 160, in directory: String? = nil
  ) throws -> ChildProcess {
    let state = try TemporaryDirectory(named: "state")
    return try ChildProcess(
      onTerminalOf: columns, "/bin/sh", ["-c", script, path] + arguments,
      environment: environment(variables, state), workingDirectory: directory, keeping: state)
  }
}

/// The arguments of a `publish` that costs little: a small test picture at 15 fps.
public struct SmallPublish: Sendable {
  /// A folder of its own.
  public let folder: TemporaryDirectory
  private let quality: String
  private let video: String
  private let audio: String

  /// - Parameters:
  ///   - video: as `--video` takes it; audio likewise.
  ///   - width: pixels; the height is what 16:9 makes of it.
  ///   - bitrate: bit/s.
  public init(
    video: String = "test", audio: String = "tone", width: Int = 320, framesPerSecond: Int = 15,
    bitrate: Int = 300_000
  ) throws {
    folder = try TemporaryDirectory()
    quality = folder.file("small.json")
    (self.video, self.audio) = (video, audio)
    let json = """
      {"resolution":{"width":\(width),"height":\(width * 9 / 16)},
      "frameRate":\(framesPerSecond),"videoBitrate":\(bitrate),
      "encoder":{"preset":"ultrafast","keyframeSeconds":1,"lookahead":0}}
      """
    try json.write(toFile: quality, atomically: false, encoding: .utf8)
  }

  public func arguments(to url: String, _ more: String...) -> [String] {
    ["publish", "--to", url] + media + more
  }

  /// Those of a broadcast to a live stream of Bunny's.
  public func arguments(stream id: String, _ more: [String] = []) -> [String] {
    ["--stream", id] + media + more
  }

  /// Those of a broadcast to what `arguments` say.
  public func arguments(_ arguments: [String]) -> [String] { arguments + media }

  private var media: [String] {
    ["--video", video, "--audio", audio, "--quality", quality]
  }
}
