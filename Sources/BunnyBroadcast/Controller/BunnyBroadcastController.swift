public import BunnyStreamAPI
import BunnySystem
public import Observation
import Synchronization

/// Broadcasts, for a program that embeds it: to a live stream of Bunny's or to any ingest, again and
/// again, one broadcast at a time. Those who know Bunny's iOS SDK find its controller's names here.
///
/// ```swift
/// let controller = BunnyBroadcastController(
///   repository: BunnyStreamAPI(accessKey: key).liveStreams, libraryId: 12345, streamId: guid,
///   configuration: .bunny(video: .automatic, quality: .hd720))
/// try await controller.start()  // returns when viewers can see it
/// ```
///
/// **Threads.** The observable properties, ``onEvent`` and ``delegate`` belong to the main actor. All
/// methods, ``statistics``, ``snapshot`` and the streams of events may be used from any thread, and
/// none of media, failover and API ever waits for the main actor: a host that blocks its main thread
/// loses nothing. The properties and `onEvent` catch up when it is free again, in order; of
/// more than 1024 changes, the newest are kept.
///
/// **Its end.** A controller that nobody holds any more leaves its stream, like ``leaveBroadcast()``.
@MainActor @Observable public final class BunnyBroadcastController {
  /// Where the broadcast is; what only that state has is in its case.
  public private(set) var state = BunnyBroadcastState.idle
  /// `HH:MM:SS` since the first try to connect, hours not wrapped; nil: not broadcasting. Goes on over
  /// reconnects.
  public private(set) var elapsedTime: String?
  /// Silence is sent in place of sound. Stays over a restart.
  public private(set) var isMuted = false
  /// Which camera is on air.
  public private(set) var cameraPosition = BunnyCameraPosition.back
  /// Sources and encoder are open.
  public private(set) var isAttached = false
  /// What Bunny says of its ingests while broadcasting; nil, which is not false, where it says nothing.
  public private(set) var primaryIngestLive: Bool?
  /// As ``primaryIngestLive``.
  public private(set) var backupIngestLive: Bool?

  /// Is told each event, in order.
  @ObservationIgnored public var onEvent: ((BunnyBroadcastEvent) -> Void)?
  /// Is called on the main actor; not retained.
  @ObservationIgnored public weak var delegate: (any BunnyBroadcastControllerDelegate)?
  @ObservationIgnored private var ticking: Task<Void, Never>?
  @ObservationIgnored private var clock: MonotonicTime?
  package nonisolated let core: ControllerCore

  /// Broadcasts to a live stream of Bunny's.
  ///
  /// - Parameters:
  ///   - repository: Bunny's API, or whatever stands in for it.
  ///   - plan: which stream, and what to do with it.
  ///   - configuration: its ingests are replaced by those that the API names.
  public nonisolated convenience init(
    repository: any LiveStreamRepository, plan: LivePlan, configuration: BroadcastConfiguration
  ) {
    var setting = ControllerRules.Setting(configuration)
    (setting.hasStream, setting.startsStream) = (true, plan.startsStream)
    self.init(
      ControllerCore(setting, configuration) { () throws(QualityError) in
        try configuration.quality.validate()
        return LiveBroadcast(plan, api: repository) { primary, backup in
          var configuration = configuration
          (configuration.ingest, configuration.backup) = (primary, backup)
          return configuration
        }
      })
  }

  /// As above, with a plan that tries again and shows the stream to viewers.
  public nonisolated convenience init(
    repository: any LiveStreamRepository, libraryId: Int, streamId: String,
    configuration: BroadcastConfiguration = .bunny()
  ) {
    self.init(
      repository: repository, plan: LivePlan(libraryId: libraryId, streamId: streamId),
      configuration: configuration)
  }

  /// Broadcasts to the configuration's own ingests.
  public nonisolated convenience init(_ configuration: BroadcastConfiguration) {
    var setting = ControllerRules.Setting(configuration)
    setting.hasStream = false
    self.init(
      ControllerCore(setting, configuration) { () throws(QualityError) in
        try configuration.quality.validate()
        return Broadcast(configuration)
      })
  }

  package nonisolated init(_ core: ControllerCore) {
    self.core = core
    let updates = core.updates
    Task { @MainActor [weak self] in
      for await update in updates { self?.show(update) }
    }
  }

  deinit { core.release() }

  // MARK: As in Bunny's SDKs

  /// Begins, unless it has. While a broadcast is ending, begins the next one after it.
  public nonisolated func startBroadcast() { core.take(.start) }

  /// Ends the broadcast and its live stream, which can never run again.
  public nonisolated func stopBroadcast() { core.take(.stop) }

  /// Ends the broadcast and leaves the live stream as it is: the next broadcast resumes it. Also after
  /// ``stopBroadcast()``, as long as Bunny has not taken that.
  public nonisolated func leaveBroadcast() { core.take(.leave) }

  /// Silence in place of sound, or sound again; in any state.
  public nonisolated func toggleMute() { core.take(.toggleMute) }

  /// Goes on to the next camera. Whether it could is an event: ``BunnyBroadcastEvent/cameraChanged(source:)``
  /// or ``BunnyBroadcastEvent/cameraNotChanged(source:reason:)``.
  public nonisolated func rotateCamera() { core.take(.rotateCamera) }

  // MARK: The same, to be waited for

  /// As ``startBroadcast()``; returns when viewers can see it, or, where the plan leaves starting the
  /// stream to somebody else, when an ingest has it. Throws too when Bunny's API refuses for good to show the
  /// stream: the broadcast goes on in preview then, until it is left or stopped.
  public nonisolated func start() async throws(BunnyBroadcastControllerError) {
    if let failure = await core.ask(.start, .start) { throw failure }
  }

  /// As ``stopBroadcast()``; returns when the live stream is known to be ended.
  public nonisolated func stop() async throws(BunnyBroadcastControllerError) {
    if let failure = await core.ask(.stop, .stop) { throw failure }
  }

  /// As ``leaveBroadcast()``; returns when nothing runs any more.
  public nonisolated func leave() async { _ = await core.ask(.leave, .leave) }

  /// As ``rotateCamera()``; returns when the next camera is on air.
  public nonisolated func nextCamera() async throws(BunnyBroadcastControllerError) {
    if let failure = await core.ask(.rotateCamera, .rotate) { throw failure }
  }

  // MARK: To be looked at

  /// A stream of its own for each caller: what happens from now on, to the end of the broadcast that runs
  /// or, where none does, of the next one. The newest 256 are kept for a listener that is slow.
  ///
  /// - Parameter wanted: which events; is called by threads of the broadcast, under no lock, and must not take
  ///   long: what follows waits for it.
  public nonisolated func events(
    where wanted: @escaping @Sendable (BunnyBroadcastEvent) -> Bool = { _ in true }
  ) -> AsyncStream<BunnyBroadcastRecord> {
    core.records(where: wanted)
  }

  /// How the broadcast does now, or how the last one did.
  public nonisolated var statistics: BroadcastStatistics { core.statistics }

  /// Everything at this moment.
  public nonisolated var snapshot: BunnyBroadcastSnapshot { core.snapshot }

  /// Why the last broadcast failed, with all that is known of it; nil: it did not.
  public nonisolated var lastError: BroadcastError? { core.state.withLock { $0.lastError } }

  /// What this machine, this build and the configuration can do. Looks at devices and tries encoders,
  /// which takes a second or so.
  public nonisolated var capabilities: BroadcastCapabilities {
    get async {
      let answer = Promise<BroadcastCapabilities>()
      startThread("capabilities") { [core] in answer.keep(core.capabilities()) }
      return await answer.value
    }
  }

  // MARK: The main actor

  private func show(_ update: ControllerCore.Update) {
    let isAnother = state != update.state
    if isAnother { state = update.state }
    if isMuted != update.isMuted { isMuted = update.isMuted }
    if cameraPosition != update.cameraPosition { cameraPosition = update.cameraPosition }
    if isAttached != update.isAttached { isAttached = update.isAttached }
    if primaryIngestLive != update.primaryLive { primaryIngestLive = update.primaryLive }
    if backupIngestLive != update.backupLive { backupIngestLive = update.backupLive }
    tick(since: update.clock)
    if isAnother { delegate?.broadcast(self, didChangeTo: state) }
    guard let record = update.record else { return }
    onEvent?(record.event)
    delegate?.broadcast(self, didReport: record)
    if case .failed(let message) = record.event {
      delegate?.broadcast(self, didFailWith: message)
    }
  }

  private func tick(since clock: MonotonicTime?) {
    guard clock != self.clock else { return }
    self.clock = clock
    ticking?.cancel()
    elapsedTime = clock.map { Self.text($0) }
    guard let clock else { return }
    ticking = Task { @MainActor [weak self] in
      while !Task.isCancelled, self?.clock == clock {
        self?.elapsedTime = Self.text(clock)
        let second = Int64.seconds(1)
        try? await Task.sleep(for: .nanoseconds(second - (MonotonicTime.now - clock) % second))
      }
    }
  }

  private static func text(_ clock: MonotonicTime) -> String {
    Wording.clock(Double(MonotonicTime.now - clock) / 1e9)
  }
}

extension ControllerRules.Setting {
  init(_ configuration: BroadcastConfiguration) {
    self.init(cameras: [configuration.pictureName] + configuration.otherVideos.map { "\($0)" })
    isDual = configuration.redundancy == .dual
  }
}
