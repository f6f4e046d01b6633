import BunnyCommand
import Foundation
import Support
import Testing

/// What the documents show is true: their commands are run, their files and tables are there.
@Suite struct DocumentTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func document(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: name), encoding: .utf8)
  }

  /// The lines of all blocks that a reader would paste into a shell.
  private static func commands(in name: String) throws -> [String] {
    try blocks(in: name).flatMap { $0.split(separator: "\n") }.map {
      String($0).replacing(#/ +# .*/#, with: "")
    }
  }

  private static func blocks(in name: String) throws -> [String] {
    try document(name).matches(of: /```sh\n(.*?)```/.dotMatchesNewlines()).map { String($0.1) }
  }

  @Test func `every publish command of the README broadcasts`() async throws {
    let lines = try Self.commands(in: "README.md").filter {
      $0.hasPrefix("bunny-broadcast publish") && !$0.contains("pipe:")
    }
    #expect(lines.count >= 5)
    let folder = try TemporaryDirectory()
    _ = try Clip(frames: 30).make(in: folder, "clip.mp4")
    try "test\n".write(toFile: folder.file("key.txt"), atomically: false, encoding: .utf8)
    let display = try await XDisplay()
    let nginx = try await NginxIngest()
    let authority = try await CertificateAuthority()
    let identity = try await authority.issue(for: "IP:127.0.0.1")
    let secure = try TLSRelay(to: nginx.port, TLSServer(identity))
    try FileManager.default.copyItem(atPath: authority.root, toPath: folder.file("ca.pem"))
    for line in lines {
      let server =
        line
        .replacing("rtmp://localhost/live", with: "rtmp://127.0.0.1:\(nginx.port)/live")
        .replacing("rtmps://localhost/live", with: "rtmps://127.0.0.1:\(secure.port)/live")
        .replacing("x11grab::0", with: "x11grab:\(display.name)")
      // The last --duration would be refused as a second one.
      let short = server.replacing(#/ --duration \d+/#, with: "") + " --duration 2"
      let words = short.split(separator: " ").dropFirst().map(String.init)
      let outcome = try await Command.run(words, in: folder.path)
      #expect(outcome.exitStatus == 0, "\(line): \(outcome.standardError)")
      #expect(outcome.standardError.contains(/live at rtmps?:\/\/127.0.0.1/))
    }
    let recording = try #require(try await nginx.recordings(atLeast: lines.count).last)
    let inspected = try await Command.run(["inspect", recording])
    #expect(inspected.exitStatus == 0 && inspected.standardOutput.contains("h264 "))
  }

  @Test func `the README's commands with rpicam-vid broadcast, from any program like it`()
    async throws
  {
    let scripts = try Self.blocks(in: "README.md").filter { $0.contains("rpicam-vid") }
    #expect(scripts.count == 2)
    let folder = try TemporaryDirectory()
    let standIn = folder.file("rpicam-vid")
    let command = """
      exec ffmpeg -v error -y -re -f lavfi -i testsrc=size=640x360:rate=30 -c:v libx264 \
        -preset ultrafast -bf 0 -g 30 -f h264 "${@: -1}"
      """
    try command.write(toFile: standIn, atomically: false, encoding: .utf8)
    let nginx = try await NginxIngest()
    for script in scripts {
      let lines = script.replacing(
        "rtmp://localhost/live", with: "rtmp://127.0.0.1:\(nginx.port)/live"
      )
      .replacing("/run/camera", with: folder.file("camera"))
      .replacing("rpicam-vid ", with: "bash \(standIn) ")
      .replacing("bunny-broadcast publish", with: "\"$0\" publish --duration 3 --events json")
      let outcome = try await Command.startInShell(lines, []).outcome()
      #expect(outcome.exitStatus == 0, "\(script): \(outcome)")
      let end = try EventLog(outcome.standardOutput).all("ended").first
      #expect(end?.capturedFrames ?? 0 >= 20, "\(outcome)")
    }
    for recording in try await nginx.recordings(atLeast: 2) {
      let inspected = try await Command.run(["inspect", recording])
      #expect(inspected.exitStatus == 0 && inspected.standardOutput.contains("h264 "))
    }
  }

  @Test func `other commands of the documents exist`() async throws {
    for name in ["README.md", "CONTRIBUTING.md"] {
      for line in try Self.commands(in: name) {
        let words = line.split(separator: " ").map(String.init)
        switch words[0] {
        case _ where words[0].hasPrefix("scripts/"):
          let script = Self.root.appending(path: words[0]).path
          let help = try await ChildProcess.run("/bin/bash", [script, "--help"])
          #expect(help.exitStatus == 0 && help.standardOutput.hasPrefix("usage: \(words[0])"))
        case "bunny-broadcast" where ["presets", "devices", "encoders"].contains(words[1]):
          #expect(try await Command.run(Array(words.dropFirst())).exitStatus == 0)
        case "bunny-broadcast":
          let isKnown = ["publish", "inspect", "--stream", "--create", "streams"].contains(words[1])
          #expect(isKnown, "\(line)")
        default:
          #expect(
            ["swift", "ffmpeg", "export", "rpicam-vid", "mkfifo"].contains(words[0]),
            "\(line) is run by nothing")
        }
      }
    }
  }

  @Test func `the README lists every exit code in the command's own words`() throws {
    let readme = try Self.document("README.md")
    for code in ExitCode.allCases {
      #expect(readme.contains("| \(code.rawValue) | \(code.meaning) |"), "\(code)")
    }
  }

  @Test func `links between the documents lead somewhere`() throws {
    for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "presets/README.md"] {
      for link in try Self.document(name).matches(of: /\]\((?!http)([^)#]+)\)/) {
        let folder = Self.root.appending(path: name).deletingLastPathComponent()
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: link.1).path))
      }
    }
  }

  /// Which `scripts/test` builds, and ``EmbeddingTests`` runs.
  @Test func `the Swift example of the README is the program in Tests/Embedding`() throws {
    let example = try Self.document("README.md").firstMatch(
      of: /```swift\n(.*?)```/.dotMatchesNewlines())
    let program = try Self.document("Tests/Embedding/Sources/embedding/main.swift")
    #expect(example.map { String($0.1) } == program)
  }

  @Test func `the Swift examples of the library's pages compile`() throws {
    let compiled = Self.lines(try Self.document("Tests/CommandTests/ArticleCode.swift"))
    let sources = Self.root.appending(path: "Sources")
    let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    var count = 0
    for name in names where name.hasSuffix(".md") || name.hasSuffix(".swift") {
      let text = try Self.document("Sources/\(name)").replacing(#/\/\/\/ ?/#, with: "")
      for example in text.matches(of: /```swift\n(.*?)```/.dotMatchesNewlines()) {
        let lines = Self.lines(String(example.1).replacing(#/import .*\n/#, with: ""))
        #expect(compiled.contains(lines), "\(name): \(example.1)")
        count += 1
      }
    }
    #expect(count >= 9)
  }

  /// Without what indents them.
  private static func lines(_ text: String) -> String {
    text.split(separator: "\n").map { $0.drop(while: \.isWhitespace) }.joined(separator: "\n")
  }

  @Test func `the pages of the library are made without a warning`() async throws {
    let folder = try TemporaryDirectory()
    let made = try await ChildProcess.run(
      "/bin/bash", [Self.root.appending(path: "scripts/docs").path, folder.file("docs")],
      atMost: 120)
    #expect(made.exitStatus == 0, "\(made)")
    for page in ["goinglive", "events", "errors", "failover", "customsources", "gettingstarted"] {
      let file = folder.file("docs/data/documentation/bunnybroadcast/\(page).json")
      #expect(FileManager.default.fileExists(atPath: file), "\(page)")
    }
  }
}
