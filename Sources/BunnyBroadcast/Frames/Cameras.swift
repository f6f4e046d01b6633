import BunnyCapture
import BunnyMedia
import BunnySystem
import Synchronization

/// What the picture comes from: one source is on air, and another takes its place as ``CameraRotation``
/// decides.
final class Cameras: Sendable {
  enum Event {
    /// By the one on air; so are the next seven.
    case delivered(Captured, isWatched: Bool)
    case lost(reason: String)
    case stillLost(reason: String)
    case back
    case needsHand(String)
    case helped(String)
    /// It can never deliver again, and no other is to take its place.
    case ended(SourceError)
    /// It is let go, before another one is there.
    case held
    /// Another one is on air.
    case changed(source: String)
    /// Another one was to be, and could not.
    case notChanged(source: String, reason: String)
  }

  private struct Opened {
    let keeper: Keeper<Captured>
    let isWatched: Bool
    var isClosing = false
  }

  private struct State {
    var rotation: CameraRotation
    /// By camera.
    var opened: [Int: Opened] = [:]
    /// To be opened once its last call has returned.
    var waiting: (camera: Int, besideAnother: Bool)?
    var steps: [CameraRotation.Step] = []
    /// The one on air is to be opened again, and does not let go of what it was.
    var isStuck = false
    var isOver = false

    /// What waited to be opened, if it can be now.
    mutating func takeWaiting() -> (camera: Int, besideAnother: Bool)? {
      guard let next = waiting, opened[next.camera] == nil else { return nil }
      waiting = nil
      return next
    }
  }

  private let supplies: [PictureSupply]
  private let onLoss: CameraLoss
  private let usbReset: USBReset?
  private let state: Mutex<State>
  /// Is called by one thread at a time.
  private let tell: @Sendable (Event) -> Void
  private let wake = WakeEvent()

  init(
    _ sources: OpenSources, onLoss: CameraLoss, usbReset: USBReset?,
    _ tell: @escaping @Sendable (Event) -> Void
  ) {
    supplies = sources.supplies
    self.onLoss = onLoss
    self.usbReset = usbReset
    self.tell = tell
    state = Mutex(State(rotation: CameraRotation(count: supplies.count, onLoss: onLoss)))
    let first = opened(0, sources.pictures)
    state.withLock { $0.opened[0] = first }
  }

  func start() {
    state.withLock { $0.opened[0] }?.keeper.start()
    if supplies.count > 1 { startThread("cameras") { [self] in run() } }
  }

  func stop() {
    let opened = state.withLock { state in
      state.isOver = true
      return state.opened
    }
    for camera in opened.values { camera.keeper.stop() }
    wake.signal()
  }

  /// Goes on to the next one. Does not wait.
  func rotate() {
    state.withLock { $0.steps += $0.rotation.asked(at: .now) }
    wake.signal()
  }

  /// Has the one on air opened anew; false: that would not help.
  func reopen() -> Bool {
    state.withLock { $0.opened[$0.rotation.onAir] }?.keeper.reopen() ?? false
  }

  /// The next picture should be a keyframe, if the camera on air codes it itself.
  func wantKeyframe() { state.withLock { $0.opened[$0.rotation.onAir] }?.keeper.wantKeyframe() }

  // MARK: What sources say

  private func opened(_ camera: Int, _ source: any PictureSource) -> Opened {
    let keeper = Keeper("video", KeptSource(source), usbReset: usbReset) { [weak self] event in
      self?.take(event, from: camera)
    }
    return Opened(keeper: keeper, isWatched: source.isWatched)
  }

  private func take(_ event: Keeper<Captured>.Event, from camera: Int) {
    let hasSteps = state.withLock { state in
      guard !state.isOver else { return false }
      if case .stopped = event {
        state.opened[camera] = nil
        state.steps += state.rotation.closed(camera, at: .now)
        return true
      }
      guard let opened = state.opened[camera], !opened.isClosing else { return false }
      if camera == state.rotation.onAir {
        if state.isStuck, case .delivered = event {
          state.isStuck = false
          state.steps += follow(.back, opened, &state.rotation)
        }
        state.steps += follow(event, opened, &state.rotation)
      } else if camera == state.rotation.candidate {
        state.steps += judge(event, opened, &state.rotation)
      }
      return !state.steps.isEmpty
    }
    if hasSteps { wake.signal() }
  }

  /// The one on air.
  private func follow(
    _ event: Keeper<Captured>.Event, _ opened: Opened, _ rotation: inout CameraRotation
  ) -> [CameraRotation.Step] {
    switch event {
    case .delivered(let captured):
      tell(.delivered(captured, isWatched: opened.isWatched))
    case .lost(let reason, _):
      tell(.lost(reason: reason))
      return rotation.lost(at: .now)
    case .stillLost(let reason): tell(.stillLost(reason: reason))
    case .back:
      tell(.back)
      return rotation.back()
    case .needsHand(let why): tell(.needsHand(why))
    case .helped(let how): tell(.helped(how))
    case .ended(let error) where supplies.count == 1 || onLoss == .wait: tell(.ended(error))
    case .ended, .stopped: break
    }
    return []
  }

  /// The one that is to come. Its being late is left to the rotation's patience.
  private func judge(
    _ event: Keeper<Captured>.Event, _ opened: Opened, _ rotation: inout CameraRotation
  ) -> [CameraRotation.Step] {
    switch event {
    case .delivered(let captured):
      guard let change = rotation.candidateDelivered() else { return [] }
      tell(.delivered(captured, isWatched: opened.isWatched))
      return [change]
    case .lost(let reason, let error?):
      return rotation.candidateFailed(reason, lacksRoom: error.isLackOfRoom, at: .now)
    case .lost, .stillLost, .back, .needsHand, .helped, .ended, .stopped: return []
    }
  }

  // MARK: What is done

  /// Opening and closing is no business of capture threads: they hold locks of each other's.
  private func run() {
    while let deadline = state.withLock({ $0.isOver ? nil : $0.rotation.deadline }) {
      wake.wait(until: deadline)
      let steps = state.withLock { state in
        state.steps += state.rotation.passed(to: .now)
        defer { state.steps = [] }
        return state.steps
      }
      for step in steps { perform(step) }
      if let next = state.withLock({ $0.takeWaiting() }) {
        open(next.camera, besideAnother: next.besideAnother)
      }
    }
  }

  private func perform(_ step: CameraRotation.Step) {
    switch step {
    case .open(let camera, let besideAnother): open(camera, besideAnother: besideAnother)
    case .close(let camera): close(camera)
    case .change(let before, let camera):
      state.withLock { $0.isStuck = false }
      say(.changed(source: supplies[camera].name))
      close(before)
    case .sayFailed(let camera, let reason):
      let patience = CameraRotation.patience / .seconds(1)
      say(
        .notChanged(
          source: supplies[camera].name,
          reason: reason ?? "it delivered nothing within \(patience) s"))
    }
  }

  private func say(_ event: Event) { state.withLock { if !$0.isOver { tell(event) } } }

  private func open(_ camera: Int, besideAnother: Bool) {
    let isThere = state.withLock { state in
      guard let opened = state.opened[camera] else { return false }
      if opened.isClosing { wait(for: camera, besideAnother, &state) }
      return true
    }
    if isThere { return }
    let opened = opened(camera, supplies[camera].make(besideAnother))
    let isOver = state.withLock { state in
      if !state.isOver { state.opened[camera] = opened }
      return state.isOver
    }
    if !isOver { opened.keeper.start() }
  }

  /// The one on air that hangs while it is closed is lost by that.
  private func wait(for camera: Int, _ besideAnother: Bool, _ state: inout State) {
    state.waiting = (camera, besideAnother)
    guard camera == state.rotation.onAir, !state.isStuck, !state.isOver else { return }
    state.isStuck = true
    tell(.lost(reason: "\(supplies[camera].name) does not let go, so it cannot be opened again"))
    state.steps += state.rotation.lost(at: .now)
    wake.signal()
  }

  private func close(_ camera: Int) {
    let keeper: Keeper<Captured>? = state.withLock { state in
      if camera == state.rotation.onAir && !state.isOver { tell(.held) }
      if state.waiting?.camera == camera { state.waiting = nil }
      guard !supplies[camera].staysOpen else {
        state.steps += state.rotation.closed(camera, at: .now)
        return nil
      }
      state.opened[camera]?.isClosing = true
      return state.opened[camera]?.keeper
    }
    keeper?.stop()
    if keeper == nil { wake.signal() }
  }
}

extension SourceError {
  /// Its bus has no room for it beside others.
  fileprivate var isLackOfRoom: Bool {
    if case .camera(_, .noRoom) = self { true } else { false }
  }
}
