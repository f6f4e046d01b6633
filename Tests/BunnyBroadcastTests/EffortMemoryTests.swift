import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct EffortMemoryTests {
  private let folder: TemporaryDirectory
  private let quality = VideoEncoder.Settings(
    width: 1280, height: 720, frameRate: .frameRate(29.97), bitrate: 1)

  init() throws { folder = try TemporaryDirectory() }

  private func memory(_ processors: Double = 4, in place: String = "a/b") -> EffortMemory {
    EffortMemory(
      folder: folder.file(place), processor: "AMD \"EPYC\"", processors: processors, quality)
  }

  @Test func `what held is there at the next start, for each kind of work`() throws {
    #expect(try memory().remembered() == nil)
    try memory().remember(.better)
    try memory(2).remember(.light)
    #expect(try memory().remembered() == .better && memory(2).remembered() == .light)
    try memory().remember(.good)
    #expect(try memory().remembered() == .good && memory(1.5).remembered() == nil)
    let file = try String(contentsOfFile: folder.file("a/b/efforts.json"), encoding: .utf8)
    #expect(file.contains(#""AMD \"EPYC\", 4 processors, 1280x720 at 29.97": "good""#))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("a/b")).count == 1)
  }

  @Test func `one is written at a time, then the newest, and whoever tells does not wait`() throws {
    let begun = Watched<[EncoderEffort]>([])
    let isLetGo = Watched(false)
    let writer = EffortWriter { effort in
      begun.change { $0.append(effort) }
      _ = isLetGo.wait { $0 }
    }
    #expect(writer.flush(until: .now))  // nothing to write
    writer.remember(.light)
    try #require(begun.wait { $0 == [.light] } != nil)
    writer.remember(.good)
    writer.remember(.best)
    writer.remember(.better)
    #expect(!writer.flush(until: .now) && begun.current == [.light])
    isLetGo.change { $0 = true }
    #expect(writer.flush(until: .now + .seconds(30)))
    #expect(begun.current == [.light, .better])
    writer.remember(.light)  // by another thread, the first one's signal being long taken
    #expect(writer.flush(until: .now + .seconds(30)))
    #expect(begun.current == [.light, .better, .light])
  }

  @Test func `broadcasts of one process that remember at once do not disturb each other`()
    async throws
  {
    let memories = (1...32).map { memory(Double($0)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for memory in memories {
        group.addTask { for _ in 0..<5 { try memory.remember(.good) } }
      }
      try await group.waitForAll()
    }
    #expect(try memories.allSatisfy { try $0.remembered() == .good })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("a/b")) == ["efforts.json"])
  }

  @Test func `a file that is broken is told of, and written anew`() throws {
    try memory().remember(.best)
    let path = folder.file("a/b/efforts.json")
    try "{".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(throws: EffortMemory.Trouble.self) { try memory().remembered() }
    try memory().remember(.best)
    #expect(try memory().remembered() == .best)
    try #"{"x":1}"#.write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try memory().remembered() == nil)
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: EffortMemory.Trouble.self) { try memory().remembered() }
  }

  @Test func `where nothing can be written that is all`() throws {
    try "".write(toFile: folder.file("file"), atomically: false, encoding: .utf8)
    let memory = memory(in: "file/b")
    let trouble = #expect(throws: EffortMemory.Trouble.self) { try memory.remember(.best) }
    #expect(
      trouble?.description == "\(folder.file("file/b"))/efforts.json cannot be written: "
        + "Not a directory; the next start measures anew")
    #expect(try memory.remembered() == nil)
  }
}
