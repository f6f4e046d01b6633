import BunnyRTMP
import BunnyStreamAPI
package import BunnySystem
import FoundationEssentials

extension ControllerRules {
  /// What is known of the broadcast that runs.
  package struct Run: Equatable, Sendable {
    enum Wish: Equatable, Sendable { case end, leave }

    var wish: Wish?
    /// It was to begin anew, while it was ending.
    var restarts = false
    /// Viewers see what an ingest has.
    var isVisible: Bool
    /// Why it waits.
    var waitsFor = "Bunny's API is asked for the stream"
    /// Until when, if that is known.
    var waitsUntil: Date?
    var isPreparing = false
    var clock: MonotonicTime?
    /// Where a connection was tried first, and last.
    var primary: Ingest?
    var tried: Ingest?
    var carriers: Carriers
    var wasAccepted = false
    /// Whoever waited for the start knows.
    var isStarted = false
    /// `started` was told.
    var hasToldStart = false
    var usesBackup = false
    var attempt = 0
    var lostBecause = ""
    var isStreamEnded = false
    var leftBecause: String?
    var totals = BroadcastTotals()
    var reason = "its media ended"

    init(isVisible: Bool, isDual: Bool) {
      (self.isVisible, carriers) = (isVisible, Carriers(isDual: isDual))
    }

    /// What changes nothing but what is known.
    mutating func note(_ event: BunnyBroadcastEvent, at now: MonotonicTime) {
      switch event {
      case .askingAgain(_, let reason): (waitsFor, waitsUntil) = (reason, nil)
      case .awaitingStart(let date, _):
        (waitsFor, waitsUntil) = ("the stream's scheduled time", date)
      case .streamOver(let reason):
        // The next stream begins from nothing.
        (waitsFor, waitsUntil) = (reason, nil)
        (isVisible, isPreparing, wasAccepted, hasToldStart) = (false, false, false, false)
        (primary, tried, usesBackup, attempt) = (nil, nil, false, 0)
        carriers = Carriers(isDual: carriers.isDual)
      case .streamFound(_, _, let resumes): isVisible = resumes
      case .preparing: isPreparing = true
      case .connection(let ingest, .connecting):
        clock = clock ?? now
        primary = primary ?? ingest
        tried = ingest
      case .left(let reason): leftBecause = reason
      case .streamEnded: isStreamEnded = true
      default: break
      }
    }

    mutating func accepted(_ ingest: Ingest) {
      (wasAccepted, attempt) = (true, 0)
      primary = primary ?? ingest
      usesBackup = primary != ingest
    }

    func state(_ setting: Setting) -> BunnyBroadcastState {
      if let wish { return .stopping(endsStream: wish == .end && setting.hasStream) }
      if let carrier = carriers.first { return isVisible ? .live(carrier) : .preview(carrier) }
      if wasAccepted {
        return .reconnecting(
          attempt: max(1, attempt), usingBackup: usesBackup, reason: lostBecause)
      }
      if let tried { return .connecting(tried) }
      return isPreparing || !setting.hasStream
        ? .preparing : .waiting(reason: waitsFor, until: waitsUntil)
    }

    /// What remains once it is over.
    func rest(
      _ failure: BroadcastError?, _ error: BunnyBroadcastControllerError?
    ) -> BunnyBroadcastState {
      if wasAccepted, let error {
        switch failure {
        case .streamOver(_, let status) where status != .error:
          return .ended(reason: error.description)
        case .streamDeleted: return .ended(reason: error.description)
        default: break
        }
      }
      if let error { return .failed(message: error.description) }
      if let leftBecause { return .left(reason: leftBecause) }
      return .ended(reason: reason)
    }
  }
}

// What the engine tells.
extension ControllerRules {
  /// What is told of an event of the engine's. Those of the end are kept until it is ``over(_:refusal:)``.
  package mutating func take(report event: BunnyBroadcastEvent, at now: MonotonicTime) -> [Order] {
    guard run != nil else { return [] }
    let carried = run?.carriers.ingests ?? []
    run?.carriers.take(event)
    switch event {
    case .failed, .stopped: return []
    case .ended(let totals, let reason):
      run?.totals = totals
      run?.reason = reason
      return []
    case .published(let ingest):
      run?.accepted(ingest)
      return [.tell(event)] + toldStart()
    case .started(let ingest):
      run?.isVisible = true  // whoever has started it
      // Of a live stream the acceptance was told before.
      if !carried.contains(ingest) { run?.accepted(ingest) }
      return toldStart()
    case .streamFound:
      // Late, where it was published to from memory.
      run?.note(event, at: now)
      return [.tell(event)] + toldStart()
    case .running:
      run?.isVisible = true
      return [.tell(event)] + toldStart()
    case .reconnected(let ingest):
      let change = failedOver(to: run?.primary != ingest)
      run?.accepted(ingest)
      return change + [.tell(event)] + toldStart()
    case .lost(_, let reason): run?.lostBecause = reason
    case .reconnecting(let attempt, let usingBackup, _, let reason):
      let change = failedOver(to: usingBackup)
      run?.attempt = attempt
      run?.lostBecause = reason
      return change + [.tell(event)]
    case .cameraChanged(let source):
      camera = setting.cameras.firstIndex(of: source) ?? (camera + 1) % setting.cameras.count
      return [.tell(event), .answer(.rotate, nil)]
    case .cameraNotChanged(_, let reason):
      return [.tell(event), .answer(.rotate, .failed(message: reason))]
    case .startRefused(let reason):
      return [.tell(event), .answer(.start, .failed(message: reason))]
    case .ingestStatusChanged(let primary, let backup):
      (primaryLive, backupLive) = (primary, backup)
    default: run?.note(event, at: now)
    }
    return [.tell(event)]
  }

  /// Said once for each change.
  private mutating func failedOver(to usingBackup: Bool) -> [Order] {
    guard let run, run.usesBackup != usingBackup, !setting.isDual else { return [] }
    self.run?.usesBackup = usingBackup
    return run.wasAccepted ? [.tell(.failedOver(usingBackup: usingBackup))] : []
  }

  /// `started`, once an ingest carries what viewers see.
  private mutating func toldStart() -> [Order] {
    guard let run, let carrier = run.carriers.first else { return [] }
    var orders: [Order] = []
    if run.isVisible, !run.hasToldStart {
      self.run?.hasToldStart = true
      orders.append(.tell(.started(carrier)))
    }
    if run.isVisible || !setting.startsStream, !run.isStarted {
      self.run?.isStarted = true
      if run.wish == nil { orders.append(.answer(.start, nil)) }
    }
    return orders
  }
}
