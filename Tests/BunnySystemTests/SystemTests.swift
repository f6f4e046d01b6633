import BunnySystem
import Testing

@Suite struct SystemTests {
  @Test func `a wake signalled before the wait ends it, and once only`() {
    let wake = WakeEvent()
    wake.signal()
    wake.signal()
    #expect(wake.wait(until: .distantFuture))
    #expect(!wake.wait(until: .now))
  }

  @Test func `a wake from another thread ends a wait`() async throws {
    let wake = WakeEvent()
    startThread("signals") { wake.signal() }
    #expect(try await onThread("waits") { wake.wait(until: .now + .seconds(30)) })
  }

  @Test func `what a thread throws comes out where it was started`() async {
    struct Broken: Error {}
    await #expect(throws: Broken.self) { try await onThread("throws") { throw Broken() } }
  }

  @Test func `monotonic time never falls and counts nanoseconds`() {
    let earlier = MonotonicTime.now
    let later = MonotonicTime.now
    #expect(later >= earlier)
    #expect((earlier + .seconds(1.5)) - earlier == 1_500_000_000)
    #expect(Int64.milliseconds(3) == 3_000_000)
  }
}
