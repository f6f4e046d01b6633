import BunnyCapture
import BunnyMedia
import BunnySystem

extension Lanes {
  /// Opens sources, slate and encoders, and lets go of them: what is wrong with them for good is found before
  /// anything else is done for the broadcast. Blocks. Pipes, whose writers begin once, and a program's own
  /// sources are left alone.
  private static func rehearse(
    _ configuration: BroadcastConfiguration, _ interrupter: Interrupter
  ) throws(BroadcastError) {
    guard configuration.sources == nil else { return }
    let configuration = configuration.rehearsed
    let settings = configuration.chosenSettings { _ in }
    let unheard = EventHub()  // it is all told when it is done in earnest
    _ = try open(configuration, settings, interrupter, Telemetry(lanes: 1), unheard)
    _ = try slate(configuration, settings)
    _ = try Encoders(configuration, settings, EncodingOrders(settings)) { _ in }
  }

  /// The same on a thread of its own. A task that is cancelled returns at once.
  static func rehearse(_ configuration: BroadcastConfiguration) async throws {
    let (outcome, interrupter) = (Promise<Result<Void, BroadcastError>?>(), Interrupter())
    startThread("rehearse") {
      outcome.keep(
        Result { () throws(BroadcastError) in try rehearse(configuration, interrupter) })
    }
    try await withTaskCancellationHandler {
      try await outcome.value?.get()
    } onCancel: {
      interrupter.interrupt()
      outcome.keep(nil)
    }
  }
}

extension BroadcastConfiguration {
  /// With stand-ins for what can be opened only once.
  package var rehearsed: BroadcastConfiguration {
    var rehearsed = self
    if ownPictures != nil || video.isPipe { rehearsed.video = .test }
    if ownSound != nil { rehearsed.audio = .silence }
    (rehearsed.ownPictures, rehearsed.ownSound) = (nil, nil)
    rehearsed.otherVideos = otherVideos.filter { !$0.isPipe }
    return rehearsed
  }
}

extension VideoInput {
  fileprivate var isPipe: Bool { if case .pipe = self { true } else { false } }
}
