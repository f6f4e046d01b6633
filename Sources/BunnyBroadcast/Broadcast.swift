import BunnyCapture
import BunnyMedia
package import BunnyRTMP
package import BunnySystem
import Synchronization

/// One broadcast, from its sources to an ingest.
///
/// Everything here may be called from any thread; media runs on threads of its own.
public final class Broadcast: Sendable {
  /// How long an ingest may take, once media has ended, to take what is left: when its duration is
  /// over, and when somebody wants it to end now.
  private static let leave = (atEnd: Duration.seconds(1), now: Duration.milliseconds(300))
  /// How long a source that is being opened may take to give up.
  private static let patience = Duration.milliseconds(700)

  /// As it was given: what Bunny tells later is not in it.
  public let configuration: BroadcastConfiguration
  private let hub = EventHub()
  private let telemetry: Telemetry
  private let line: Line
  private let muted: Flag
  private let sources = Interrupter()
  private let stopping = Mutex(Stopping())
  private let began: MonotonicTime?
  private let book: AddressBook

  private struct Stopping {
    var reason: String?
    /// While media runs.
    var capture: Capture?
    var action: (@Sendable () -> Void)?
  }

  /// - Precondition: the configuration's quality is valid (`BroadcastQuality.validate()`).
  public convenience init(_ configuration: BroadcastConfiguration) {
    self.init(configuration, began: nil)
  }

  /// - Parameters:
  ///   - began: since when it counts as lasting; nil: since ``run()``.
  ///   - book: where its ingests have answered, and who looks up their names.
  package init(
    _ configuration: BroadcastConfiguration, began: MonotonicTime? = nil,
    book: AddressBook = AddressBook()
  ) {
    self.configuration = configuration
    self.began = began
    self.book = book
    line = Line(lanes: configuration.targets.count)
    telemetry = Telemetry(lanes: configuration.targets.count)
    muted = Flag(configuration.isMuted)
  }

  /// A stream of its own for each caller: what happens from now on, the newest 256 kept, finished
  /// after ``BunnyBroadcastEvent/ended(_:reason:)``.
  public func events() -> AsyncStream<BunnyBroadcastEvent> { hub.stream() }

  /// Broadcasts until ``stop(reason:)``, until the task is cancelled, or for the configured duration.
  /// May be called once.
  ///
  /// - Returns: The totals.
  /// - Throws: ``BroadcastError``, also when the duration went by and no ingest ever accepted the
  ///   stream; the totals are in the `ended` event.
  public func run() async throws(BroadcastError) -> BroadcastTotals {
    telemetry.begin(at: .now, since: began)
    hub.send(.preparing)
    var failure: BroadcastError?
    do {
      try await withTaskCancellationHandler {
        try await broadcast()
      } onCancel: {
        stop(reason: "cancelled")
      }
    } catch {
      failure = BroadcastError(error)
    }
    telemetry.moved(line.moved)
    let unsent = telemetry.endSending()
    if unsent > 0 {
      hub.send(
        .dropped(frames: unsent, reason: "the broadcast ended before an ingest took them"))
    }
    let totals = telemetry.end(at: .now)
    let reason = stopping.withLock { $0.reason } ?? "its duration was over"
    if let failure { hub.send(.failed(message: failure.description)) }
    hub.finish(with: [.stopped, .ended(totals, reason: failure?.description ?? reason)])
    if let failure { throw failure }
    return totals
  }

  /// Ends the broadcast: media stops, the ingest is told, ``run()`` returns within a second or so.
  public func stop(reason: String = "asked to") {
    let action = stopping.withLock { stopping in
      if stopping.reason == nil { stopping.reason = reason }
      return stopping.action
    }
    sources.interrupt()
    action?()
  }

  package func told(primaryIsLive: Bool?, backupIsLive: Bool?) {
    if let primaryIsLive { line.told(ingest: 0, isLive: primaryIsLive) }
    if let backupIsLive { line.told(ingest: 1, isLive: backupIsLive) }
  }

  package func publish(to ingest: Ingest, backup: Ingest?) -> Bool {
    let hasBackup = configuration.backup != nil
    var changed = configuration
    changed.ingest = ingest
    if hasBackup, let backup { changed.backup = backup }
    line.publish(to: changed.targets)
    return hasBackup || backup == nil
  }

  /// Whether silence is sent instead of sound.
  public var isMuted: Bool {
    get { muted.isSet }
    set { muted.isSet = newValue }
  }

  /// Goes on to the next camera, if there is one. Returns at once; what comes of it is
  /// ``BunnyBroadcastEvent/cameraChanged(source:)`` or
  /// ``BunnyBroadcastEvent/cameraNotChanged(source:reason:)``.
  public func rotateCamera() { stopping.withLock { $0.capture }?.rotateCamera() }

  /// How it does now.
  public var statistics: BroadcastStatistics {
    telemetry.moved(line.moved)
    return telemetry.statistics(at: .now)
  }

  /// Opens everything. A source that hangs in that, as some devices and addresses do, is left behind
  /// when the broadcast is stopped.
  ///
  /// - Returns: nil when it was stopped meanwhile.
  private func open() async throws -> Lanes? {
    let opened = Promise<Result<Lanes, any Error>?>()
    startThread("open") { [self] in
      let lanes = Result {
        try Lanes(
          configuration, interrupter: sources, isMuted: muted, line: line, book: book,
          telemetry: telemetry, events: hub)
      }
      opened.keep(lanes)
    }
    let giveUp: @Sendable () -> Void = {
      Task {
        try await Task.sleep(for: Self.patience)
        opened.keep(nil)
      }
    }
    let stopsAlready = stopping.withLock { stopping in
      stopping.action = giveUp
      return stopping.reason != nil
    }
    if stopsAlready { giveUp() }
    do {
      guard let lanes = try await opened.value?.get() else {
        hub.send(.notice(message: "a source does not let go while it is opened: left it behind"))
        return nil
      }
      return lanes
    } catch {
      if stopping.withLock({ $0.reason }) == nil { throw error }
      return nil
    }
  }

  private func broadcast() async throws {
    guard let lanes = try await open() else { return }
    let stopsAlready = stopping.withLock { stopping in
      stopping.action = { lanes.stop() }  // the publish lane is told when media has ended
      stopping.capture = lanes.capture
      return stopping.reason != nil
    }
    if stopsAlready { lanes.stop() }
    lanes.capture.start()
    let reporter = Reporter(telemetry: telemetry, line: line, events: hub)
    reporter.start()
    defer { reporter.stop() }

    let publishing = Task {
      try await lanes.publish()
    }
    let encoding = Task { try await lanes.encode() }
    let media = await encoding.result
    async let remembered: Void = lanes.remember()
    // Who ends it waits for no ingest that has not accepted the stream; a duration that is over
    // leaves it the time of taking leave.
    let isWanted = stopping.withLock { $0.reason != nil }
    line.endTries(abandoning: isWanted)
    let leave = Task {
      try await Task.sleep(for: isWanted ? Self.leave.now : Self.leave.atEnd)
      line.close()
    }
    defer { leave.cancel() }
    let published = await publishing.result
    await remembered
    // What an ingest did not take before somebody ended the broadcast is no failure, nor is that the
    // program before us in a pipeline was ended by the same Ctrl-C.
    let wasWanted = stopping.withLock { $0.reason != nil }
    if case .failure(let error) = media, !(wasWanted && error is SourceError) { throw error }
    if !wasWanted { try published.get() }
  }
}
