package import BunnyRTMP
package import BunnySystem
package import FoundationEssentials

/// What a live broadcast has of the world besides Bunny's API: clocks, chance, tasks, what it remembers, and what
/// carries media. A test has another one, where time is virtual.
package struct LiveWorld: Sendable {
  package var now: @Sendable () -> MonotonicTime = { .now }
  /// What this machine's clock shows, which may be wrong.
  package var date: @Sendable () -> Date = { Date() }
  package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  /// From 0 to 1, drawn anew each time.
  package var chance: @Sendable () -> Double = { .random(in: 0...1) }
  /// Where tasks run; nil: where Swift runs them.
  package var executor: (any TaskExecutor)?
  /// Makes what carries media to one stream.
  ///
  /// - Parameter began: since when it counts as lasting.
  package var media:
    @Sendable (_ configuration: BroadcastConfiguration, _ began: MonotonicTime) -> any LiveMedia = {
      Broadcast($0, began: $1)
    }

  /// Opens what is going to be broadcast, and lets go of it; see ``Lanes``.
  package var rehearse: @Sendable (BroadcastConfiguration) async throws -> Void = {
    try await Lanes.rehearse($0)
  }

  /// Takes what is remembered of a stream, in that folder, until it is let go of.
  package var store:
    @Sendable (_ folder: String, _ streamId: String) throws(StreamStore.Trouble) ->
      any StreamMemory = { folder, streamId throws(StreamStore.Trouble) in
        try StreamStore(folder: folder, streamId: streamId)
      }

  /// Does what blocks: a card may take a second to write, and one that is dying for ever.
  package var block: @Sendable (_ work: @escaping @Sendable () -> Void) async -> Void = { work in
    let done = Promise<Void>()
    startThread("record") {
      work()
      done.keep(())
    }
    await done.value
  }

  package init() {}

  func task<Success: Sendable>(
    _ work: @escaping @Sendable () async -> Success
  ) -> Task<Success, Never> {
    Task(executorPreference: executor, operation: work)
  }

  func throwingTask<Success: Sendable>(
    _ work: @escaping @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    Task(executorPreference: executor, operation: work)
  }
}

/// What a live broadcast runs for each of its streams.
package protocol LiveMedia: Broadcasting {
  var configuration: BroadcastConfiguration { get }

  /// What somebody else knows of an ingest: whether it has the stream.
  func told(primaryIsLive: Bool?, backupIsLive: Bool?)

  /// Publishes elsewhere, or under another key, from the next connection on.
  ///
  /// - Returns: false when `backup` is left out, since there was none before.
  func publish(to ingest: Ingest, backup: Ingest?) -> Bool
}

extension Broadcast: LiveMedia {}
