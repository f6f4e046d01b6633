import BunnySystem
import Foundation
import Support

/// A Chromium without a window that shows one page, driven by its DevTools protocol over two pipes.
///
/// Its calls block; it belongs to one thread at a time.
final class Chromium: @unchecked Sendable {  // one test's, which awaits each call
  static let command = "/usr/bin/chromium"
  static var isAvailable: Bool { FileManager.default.fileExists(atPath: command) }

  private let folder: TemporaryDirectory
  private let process: ChildProcess
  private let commands: FileHandle
  private let answers: FileHandle
  private var rest = Data()
  private var last = 0
  private var session = ""

  /// Opens the page.
  init(_ url: String) throws {
    folder = try TemporaryDirectory()
    let pipes = ["commands", "answers"].map(folder.file)
    for pipe in pipes { mkfifo(pipe, 0o600) }
    // Both ways, so that opening waits for nobody.
    commands = FileHandle(fileDescriptor: open(pipes[0], O_RDWR | O_CLOEXEC), closeOnDealloc: true)
    answers = FileHandle(fileDescriptor: open(pipes[1], O_RDWR | O_CLOEXEC), closeOnDealloc: true)
    process = try ChildProcess(
      "/bin/sh",
      [
        "-c", #"exec "$@" 3<commands 4>answers"#, "sh", Self.command, "--headless", "--no-sandbox",
        "--disable-gpu", "--remote-debugging-pipe", "--user-data-dir=\(folder.file("profile"))",
        "--autoplay-policy=no-user-gesture-required", "--window-size=1000,900", "about:blank",
      ], workingDirectory: folder.path)
    let targets = try call("Target.getTargets")["targetInfos"] as? [[String: Any]] ?? []
    let page = targets.first { $0["type"] as? String == "page" }?["targetId"] as? String ?? ""
    let attached = try call("Target.attachToTarget", ["targetId": page, "flatten": true])
    session = attached["sessionId"] as? String ?? ""
    _ = try call("Page.navigate", ["url": url])
  }

  /// Waits for the value of a script's promise.
  @discardableResult
  func value(of script: String) throws -> Any? {
    let parameters: [String: Any] = [
      "expression": script, "awaitPromise": true, "returnByValue": true,
    ]
    return (try call("Runtime.evaluate", parameters)["result"] as? [String: Any])?["value"]
  }

  /// Saves a picture of the element as PNG.
  func save(_ element: String, as path: String) throws {
    let box =
      try value(
        of: """
          (() => { const box = document.querySelector("\(element)").getBoundingClientRect()
          return { x: box.x, y: box.y, width: box.width, height: box.height, scale: 1 } })()
          """) ?? [:]
    let shot = try call("Page.captureScreenshot", ["format": "png", "clip": box])
    let data = Data(base64Encoded: shot["data"] as? String ?? "") ?? Data()
    try data.write(to: URL(filePath: path))
  }

  func end() async throws {
    process.send(SIGKILL)
    _ = try await process.outcome()
  }

  /// Sends a command and waits for its answer, passing over events.
  private func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    last += 1
    var message: [String: Any] = ["id": last, "method": method, "params": parameters]
    if !session.isEmpty { message["sessionId"] = session }
    try commands.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
    let end = MonotonicTime.now + .seconds(30)
    while let answer = try next(until: end) {
      guard answer["id"] as? Int == last else { continue }
      return answer["result"] as? [String: Any] ?? [:]
    }
    throw WaitedInVain(what: "Chromium's answer to \(method)", seconds: 30)
  }

  private func next(until end: MonotonicTime) throws -> [String: Any]? {
    while true {
      if let zero = rest.firstIndex(of: 0) {
        let message = rest[rest.startIndex..<zero]
        rest = Data(rest[(zero + 1)...])
        return try JSONSerialization.jsonObject(with: message) as? [String: Any]
      }
      var poll = pollfd(fd: answers.fileDescriptor, events: Int16(POLLIN), revents: 0)
      let milliseconds = (end - .now) / 1_000_000
      guard milliseconds > 0, Foundation.poll(&poll, 1, Int32(milliseconds)) > 0 else { return nil }
      rest += answers.availableData
    }
  }
}
