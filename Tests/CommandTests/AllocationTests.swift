import BunnyRTMP
import Foundation
import Support
import Testing

/// What the real process allocates while it broadcasts, all of its threads, from the source to the socket.
struct AllocationTests {
  struct Way: Sendable, CustomStringConvertible {
    let description: String
    /// Those of `publish`, `FIFO` being where the writer writes.
    let source: [String]
    /// Those of `ffmpeg`.
    let writer: [String]
  }

  private static let raw = ["--camera-size", "320x180", "--camera-fps", "100", "--camera-format"]
  private static let ways = [
    Way(description: "test picture", source: ["test"], writer: []),
    Way(
      description: "Motion-JPEG", source: ["pipe:FIFO"] + raw + ["MJPG"],
      writer: ["-pix_fmt", "yuvj422p", "-c:v", "mjpeg", "-q:v", "5", "-f", "mjpeg"]),
    Way(
      description: "YUYV", source: ["pipe:FIFO"] + raw + ["YUYV"],
      writer: ["-pix_fmt", "yuyv422", "-f", "rawvideo"]),
    Way(
      description: "H.264, decoded", source: ["pipe:FIFO"],
      writer: ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-f", "h264"]),
    Way(
      description: "H.264 as it is", source: ["pipe:FIFO", "--passthrough"],
      writer: [
        "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-g", "100",
        "-b:v", "250k", "-maxrate", "250k", "-bufsize", "250k", "-f", "h264",
      ]),
  ]

  private struct Counts {
    let libraries: UInt64
    let own: UInt64

    init(_ path: String) throws {
      let bytes = try Data(contentsOf: URL(filePath: path))
      (libraries, own) = bytes.withUnsafeBytes {
        ($0.load(as: UInt64.self), $0.load(fromByteOffset: 8, as: UInt64.self))
      }
    }
  }

  /// Until everything is as large as it gets, milliseconds: the tag log keeps 12 s.
  private static let settled: Int64 = 14_000
  private static let frames = 1000

  /// A frame that cost one would show as a thousand, a run of sound as 470. What is left, some 300, is what looks
  /// at the processors four times a second and at their quota every ten, and the log.
  @Test(arguments: ways)
  func `none of our own for a frame and its sound, on any thread`(_ way: Way) async throws {
    let small = try SmallPublish(framesPerSecond: 100)
    let (fifo, file) = (small.folder.file("camera"), small.folder.file("counts"))
    #expect(mkfifo(fifo, 0o600) == 0)
    try Data(count: 16).write(to: URL(filePath: file))
    let counter = try await counter(small.folder)
    let ingest = try ScriptedIngest()
    let arguments = small.arguments(to: ingest.url()).flatMap { argument in
      argument == "test" ? way.source.map { $0.replacing("FIFO", with: fifo) } : [argument]
    }
    let command = try Command.start(
      arguments, ["LD_PRELOAD": counter, "ALLOCATIONS_FILE": file])
    let input = ["-v", "error", "-y", "-re", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=100"]
    let writer =
      way.writer.isEmpty ? nil : try ChildProcess("ffmpeg", input + way.writer + [fifo])
    let visits = try await ingest.waitUntil(atMost: 60) { visits in
      visits.first?.tags.last.map { $0.timestamp >= Self.settled } ?? false
    }
    let (before, first) = (visits[0].tags.count, try Counts(file))
    try await ingest.waitUntil(atMost: 60) { visits in
      visits[0].tags.dropFirst(before).count { $0.kind == .video } >= Self.frames
    }
    let second = try Counts(file)
    command.send(SIGTERM)
    let outcome = try await command.outcome()
    writer?.send(SIGKILL)
    #expect(outcome.exitStatus == 0, "\(outcome)")
    let (own, libraries) = (second.own - first.own, second.libraries - first.libraries)
    if ProcessInfo.processInfo.environment["BUNNY_TRIALS"] != nil {
      print("\(way): \(own) allocations of our own, \(libraries) of libraries")
    }
    #expect(own < Self.frames / 2 && first.own > 1000 && libraries > Self.frames)
  }

  /// What is preloaded.
  private func counter(_ folder: TemporaryDirectory) async throws -> String {
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Allocations/allocations.c").path
    let library = folder.file("allocations.so")
    let compiled = try await ChildProcess.run(
      "clang", ["-Wall", "-Werror", "-O2", "-shared", "-fPIC", "-o", library, source])
    #expect(compiled.exitStatus == 0, "\(compiled)")
    return library
  }
}
