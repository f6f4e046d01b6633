import BunnyBroadcast
import Synchronization

/// What a machine remembers of live streams, without a disk.
final class VirtualMemory: Sendable {
  private struct State {
    var records: [String: StreamRecord] = [:]
    var held: Set<String> = []
  }

  private let state = Mutex(State())

  private final class Holder: StreamMemory {
    private let (memory, name): (VirtualMemory, String)

    init(_ memory: VirtualMemory, _ name: String) { (self.memory, self.name) = (memory, name) }
    deinit { memory.state.withLock { _ = $0.held.remove(name) } }

    func record() -> StreamRecord? { memory.state.withLock { $0.records[name] } }
    func save(_ record: StreamRecord) { memory.state.withLock { $0.records[name] = record } }
    func forget() { memory.state.withLock { $0.records[name] = nil } }
  }

  func open(_ name: String) throws(StreamStore.Trouble) -> any StreamMemory {
    guard state.withLock({ $0.held.insert(name).inserted }) else { throw .held(by: nil) }
    return Holder(self, name)
  }

  func remember(_ record: StreamRecord, of name: String) {
    state.withLock { $0.records[name] = record }
  }

  /// Nobody holds anything.
  var isFree: Bool { state.withLock { $0.held.isEmpty } }
}
