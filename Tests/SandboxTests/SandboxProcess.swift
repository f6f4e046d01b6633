import Foundation
import FoundationNetworking
import Support

/// A `bunny-sandbox` that runs beside a test.
struct SandboxProcess {
  /// What it prints when it is ready.
  struct Facts: Decodable {
    let apiUrl, accessKey: String
    let libraryId: Int
    let streamId, streamKey, primaryIngestUrl, backupIngestUrl, hlsUrl, pageUrl, recording: String
    let primaryPid, backupPid: Int32
  }

  /// An answer of its HTTP server.
  struct Answer {
    let status: Int
    let type: String?
    /// The pages that may read it, by `Access-Control-Allow-Origin`.
    let allowedOrigin: String?
    let body: Data

    subscript(key: String) -> NSObject? {
      (try? JSONSerialization.jsonObject(with: body) as? [String: NSObject])?[key]
    }
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  let child: ChildProcess
  let facts: Facts
  /// Where it has its temporary files.
  let temporary: TemporaryDirectory

  static func start(
    _ arguments: String..., temporary: TemporaryDirectory? = nil
  ) async throws -> Self {
    try await start(arguments, temporary: temporary)
  }

  static func start(
    _ arguments: [String], temporary: TemporaryDirectory? = nil
  ) async throws -> Self {
    let temporary = try temporary ?? TemporaryDirectory()
    let child = try launch(arguments, temporary)
    let line = try await child.waitForLine(in: .output) { $0.hasPrefix("{") }
    let facts = try JSONDecoder().decode(Facts.self, from: Data(line.utf8))
    return Self(child: child, facts: facts, temporary: temporary)
  }

  /// Starts the command as it was built with the tests; reads `/dev/null`.
  static func launch(
    _ arguments: [String], _ temporary: TemporaryDirectory
  ) throws -> ChildProcess {
    let path = (Command.path as NSString).deletingLastPathComponent + "/bunny-sandbox"
    return try ChildProcess(
      path, arguments, environment: Command.environment(["TMPDIR": temporary.path]))
  }

  /// Calls the stream's API.
  ///
  /// - Parameter call: `/status`, `/start`, `/stop`, or nothing for the stream itself.
  func api(_ method: String, _ call: String = "") async throws -> Answer {
    let path = "/library/\(facts.libraryId)/live/\(facts.streamId)\(call)"
    return try await http(method, path, key: facts.accessKey)
  }

  /// - Parameter origin: of the web page that asks; nil for none.
  func http(
    _ method: String, _ path: String, key: String? = nil, origin: String? = nil
  ) async throws -> Answer {
    var request = URLRequest(url: URL(string: path.hasPrefix("/") ? facts.apiUrl + path : path)!)
    request.httpMethod = method
    request.setValue(key, forHTTPHeaderField: "AccessKey")
    request.setValue(origin, forHTTPHeaderField: "Origin")
    let (body, response) = try await URLSession.shared.data(for: request)
    let answer = response as! HTTPURLResponse
    return Answer(
      status: answer.statusCode, type: answer.value(forHTTPHeaderField: "Content-Type"),
      allowedOrigin: answer.value(forHTTPHeaderField: "Access-Control-Allow-Origin"), body: body)
  }

  /// Waits for a line of its log.
  func logs(_ sentence: String) async throws {
    _ = try await child.waitForLine { $0.hasSuffix(sentence) }
  }

  /// The names of the calls that it saw, with their answers.
  ///
  /// - Parameter count: waits for one more than so many, a second at most.
  func calls(after count: Int = -1) async throws -> [String] {
    let answer = try await http("GET", "/sandbox/calls?after=\(count)")
    let calls = answer["calls"] as? [[String: NSObject]] ?? []
    return calls.map { "\($0["call"]!) \($0["answer"]!)" }
  }

  /// The same of the calls about one stream.
  func calls(of id: String) async throws -> [String] {
    let calls = try await http("GET", "/sandbox/calls")["calls"] as? [[String: NSObject]] ?? []
    return calls.filter { $0["stream"] as? String == id }.map { "\($0["call"]!) \($0["answer"]!)" }
  }

  /// Ends it and waits for that.
  @discardableResult
  func end(_ signal: Int32 = SIGTERM) async throws -> ChildProcess.Outcome {
    child.send(signal)
    return try await child.outcome()
  }
}

/// Whether a process runs; one that nobody has reaped does not.
func runs(_ processID: Int32) -> Bool {
  guard let stat = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8) else {
    return false
  }
  return stat.split(separator: ")").last?.dropFirst().first != "Z"
}
