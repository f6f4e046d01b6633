import BunnyBroadcast
import BunnyCapture
import BunnyRTMP
import BunnyStreamAPI
import Support
import Testing

/// A library that embeds a live broadcast: what ends the stream, and what leaves it.
@Suite(.serialized) struct LiveEndTests {
  private static let failing = BunnyLiveStreamError(kind: .server, statusCode: 503)
  private static let lost = BunnyLiveStreamError(kind: .transport, message: "lost")
  private static let refused = BunnyLiveStreamError(kind: .invalidRequest, statusCode: 400)

  private let live: EmbeddedBroadcast

  init() throws { live = try EmbeddedBroadcast() }

  @Test(arguments: [nil, Duration.seconds(60)])
  func `a task that is cancelled leaves the stream`(_ duration: Duration?) async throws {
    let running = try await live.start(duration)
    running.cancel()
    _ = try await running.value
    #expect(live.repository.count("stop") == 0)
    #expect(await live.left() == ["cancelled"])
  }

  @Test func `stop leaves the stream, although end comes later`() async throws {
    let running = try await live.start()
    live.broadcast.stop()
    live.broadcast.end()
    _ = try await running.value
    #expect(live.repository.count("stop") == 0)
  }

  @Test func `end ends the stream once`() async throws {
    let running = try await live.start()
    live.broadcast.end()
    live.broadcast.end()
    _ = try await running.value
    #expect(live.repository.count("stop") == 1)
    #expect(await live.left() == [])
  }

  @Test func `a duration that is over ends the stream once`() async throws {
    _ = try await live.start(.seconds(1)).value
    #expect(live.repository.count("stop") == 1)
  }

  @Test(arguments: [lost, refused], [BunnyLiveStreamStatus.ended, .vodProcessing])
  func `a stop whose answer was lost, or that somebody else sent, is a stop`(
    _ error: BunnyLiveStreamError, _ status: BunnyLiveStreamStatus
  ) async throws {
    live.repository.change { $0.stops = [error] }
    let running = try await live.start()
    live.repository.change { $0.status = [status] }
    live.broadcast.end()
    _ = try await running.value
    #expect(live.repository.count("stop") == 1)
    #expect(await live.left() == [])
  }

  @Test func `a stop that fails is tried again`() async throws {
    live.repository.change { $0.stops = [Self.failing, Self.failing, nil] }
    let running = try await live.start()
    live.broadcast.end()
    _ = try await running.value
    #expect(live.repository.count("stop") == 3)
    #expect(await live.left() == [])
  }

  @Test(arguments: [true, false])
  func `whoever wishes to leave does not wait for a stop that fails`(
    _ isCancelled: Bool
  ) async throws {
    live.repository.change { $0.stops = [Self.failing] }
    let running = try await live.start()
    live.broadcast.end()
    try await live.repository.waitFor("stop", times: 2)
    if isCancelled { running.cancel() } else { live.broadcast.stop(reason: "l") }
    let error = await #expect(throws: BroadcastError.self) { try await running.value }
    #expect(error?.description.contains("HTTP 503") == true)
    #expect(live.repository.count("stop") <= 4)
    let left = await live.left()
    #expect(left.count == 1 && left[0].hasPrefix("it was to be ended, and is not known to be: "))
  }
}
