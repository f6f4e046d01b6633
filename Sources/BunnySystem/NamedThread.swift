import CBunnyShims
import Glibc

/// Runs `body` on a thread of its own, named `name` (15 bytes at most), and returns when it has.
///
/// Every blocking stage of a broadcast lives on one of these, never on Swift's pool.
public func onThread<Result: Sendable>(
  _ name: String, _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    startThread(name) { continuation.resume(with: Swift.Result { try body() }) }
  }
}

/// Starts `body` on a thread of its own and returns at once.
public func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
  let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  defer { pthread_attr_destroy(&attributes) }
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { argument in
      let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
      bunny_wake_promptly()
      bunny_name_this_thread(start.name)  // from inside: Linux ignores a name set before start
      start.body()
      return nil
    }, start.toOpaque())
  precondition(code == 0, "pthread_create for \(name): error \(code)")
}

private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void
  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
