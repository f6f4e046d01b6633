import BunnyBroadcast
import BunnyStreamAPI
import BunnySystem
import Foundation
import Support
import Testing

/// What is remembered of a live stream, and its lock.
@Suite struct StreamStoreTests {
  private static let id = "7B9F4C1E-0000-4000-8000-0123456789ab"
  private let folder: TemporaryDirectory
  private var path: String { folder.file("a/b/\(Self.id.lowercased()).json") }

  init() throws { folder = try TemporaryDirectory() }

  private func store() throws -> StreamStore {
    try StreamStore(folder: folder.file("a/b"), streamId: Self.id)
  }

  private var record: StreamRecord {
    var record = StreamRecord(
      BunnyLiveStream(
        id: Self.id, title: "T “1”", primaryIngestUrl: "rtmp://h/live", backupIngestUrl: nil),
      key: "k-1")
    record.publishing = .init(
      bootId: "b", at: MonotonicTime(nanoseconds: 5_000_000),
      serverTime: Date(timeIntervalSince1970: 1_800_000_000.25), hasLeft: true)
    record.successor = "s"
    record.isShown = true
    return record
  }

  @Test func `what was saved is there for the next one, and for its owner only`() throws {
    do {
      let store = try store()
      #expect(store.record() == nil)
      try store.save(record)
    }
    #expect(try store().record() == record)
    #expect(record.stream(id: "x").streamKey == "k-1")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(!"\(record)".contains("k-1"))
  }

  @Test(arguments: ["", "{", "[]", #"{"key":1}"#])
  func `what cannot be read counts as nothing`(_ text: String) throws {
    let store = try store()
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    #expect(store.record() == nil)
    try store.save(record)
    #expect(store.record() == record)
  }

  @Test func `what is over is forgotten, and a name that is none leads nowhere else`() throws {
    let store = try store()
    try store.save(record)
    store.forget()
    #expect(store.record() == nil)
    store.forget()
    let odd = try StreamStore(folder: folder.file("a/b"), streamId: "../../X y")
    try odd.save(record)
    #expect(FileManager.default.fileExists(atPath: folder.file("a/b/------x-y.json")))
  }

  @Test func `a key without the rest is remembered`() throws {
    let store = try store()
    try #"{"key":"k","publishing":{"bootId":"b"}}"#.write(
      toFile: path, atomically: false, encoding: .utf8)
    #expect(store.record() == StreamRecord(key: "k"))
  }

  @Test func `a file that others could read is theirs no more`() throws {
    let store = try store()
    #expect(FileManager.default.createFile(atPath: path + ".new", contents: nil))
    chmod(path + ".new", 0o644)
    try store.save(record)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `one process holds the lock, and says which it is, until it lets go`() throws {
    var first: StreamStore? = try store()
    #expect(throws: StreamStore.Trouble.held(by: getpid())) { try store() }
    _ = first
    first = nil
    _ = try store()
  }

  @Test func `a folder that cannot be is a sentence`() throws {
    try "".write(toFile: folder.file("file"), atomically: false, encoding: .utf8)
    let path = folder.file("file/x")
    #expect(
      throws: StreamStore.Trouble.unusable(
        "\(path) cannot be written: Not a directory; after a crash it is not known that the stream "
          + "was ours")
    ) {
      try StreamStore(folder: path, streamId: Self.id)
    }
  }
}
