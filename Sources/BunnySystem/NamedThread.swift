import CBunnyShims
import Glibc

/// Runs `body` on a thread of its own, named `name` (15 bytes at most), and returns when it has.
///
/// Every blocking stage of a broadcast lives on one of these, never on Swift's pool.
public func onThread<Result: Sendable>(
  _ name: String, turns: Turns = .usual, _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    startThread(name, turns: turns) { continuation.resume(with: Swift.Result { try body() }) }
  }
}

/// Starts `body` on a thread of its own and returns at once.
public func startThread(
  _ name: String, turns: Turns = .usual, _ body: @escaping @Sendable () -> Void
) {
  let start = Unmanaged.passRetained(ThreadStart(name: name, turns: turns, body: body))
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  defer { pthread_attr_destroy(&attributes) }
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { argument in
      let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
      if start.turns != .usual { bunny_take_turns_of(start.turns.rawValue) }
      bunny_name_this_thread(start.name)  // from inside: Linux ignores a name set before start
      start.body()
      return nil
    }, start.toOpaque())
  precondition(code == 0, "pthread_create for \(name): error \(code)")
}

/// How long the scheduler lets a thread compute before it is another's turn, in nanoseconds.
///
/// When a thread wakes, it runs at once instead of some milliseconds later if its turns are shorter
/// than those of whoever runs; its share of the processor stays the same. So the less a stage has to
/// compute, the shorter its turns. An encoder's own threads have the usual ones.
public enum Turns: UInt64, Sendable {
  case shortest = 100_000
  case shorter = 200_000
  case short = 400_000
  /// The system's: 1 to 3 ms.
  case usual = 0
}

private final class ThreadStart: Sendable {
  let name: String
  let turns: Turns
  let body: @Sendable () -> Void
  init(name: String, turns: Turns, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.turns = turns
    self.body = body
  }
}
