import BunnyCapture
import BunnyMedia
import BunnySystem
import Synchronization

/// What a keeper asks of a source, of pictures and of sound alike.
struct KeptSource<Element: Sendable>: Sendable {
  let next: @Sendable () throws -> Element?
  let cancel: @Sendable () -> Void
  /// The USB device that it is a part of.
  let usb: @Sendable () -> USBIdentity?
  /// One for the same device that has opened nothing; nil: its calls return.
  let renewed: @Sendable () -> KeptSource?
  /// Has it open its device anew; false: that would not help.
  let reopen: @Sendable () -> Bool
  /// The next picture should be a keyframe, if it codes them itself.
  let wantKeyframe: @Sendable () -> Void
}

extension KeptSource<Captured> {
  init(_ source: any PictureSource) {
    self.init(
      next: source.captured, cancel: source.cancel, usb: { source.usbDevice },
      renewed: { source.renewed().map(KeptSource.init) }, reopen: source.reopen,
      wantKeyframe: { (source as? any CodedPictureSource)?.wantKeyframe() })
  }
}

extension KeptSource<Samples> {
  init(_ source: any SampleSource) {
    self.init(
      next: source.next, cancel: source.cancel, usb: { source.usbDevice },
      renewed: { source.renewed().map(KeptSource.init) }, reopen: { false }, wantKeyframe: {})
  }
}

/// Keeps a source delivering, as ``Presence`` decides: a capture thread asks it again and again, and
/// where its calls may not return, another thread looks at the clock.
final class Keeper<Element: Sendable>: Sendable {
  enum Event {
    case delivered(Element)
    /// Once, until ``back``. It has failed with that error; nil: it is late.
    case lost(reason: String, SourceError?)
    case back
    /// It is lost for another reason by now; each reason once, until ``back``.
    case stillLost(reason: String)
    /// A person has to do something, and what. Once, until ``back``.
    case needsHand(String)
    /// What was done to help it.
    case helped(String)
    /// It can never deliver again.
    case ended(SourceError)
    /// It was stopped, and its last call has returned.
    case stopped
  }

  /// Some say which process holds a device, and more are told of than a person would read.
  private static var mostReasons: Int { 5 }

  private struct State {
    var source: KeptSource<Element>
    var presence = Presence(at: .now)
    /// Why it is lost, as far as that was told.
    var reasons: Set<String> = []
    /// Counts the capture threads: who is not the last was abandoned.
    var reader = 0
    /// The last of them has ended by itself.
    var hasEnded = false
    var isWatched = false
    var isOver = false
  }

  /// `video` or `audio`.
  private let name: String
  private let state: Mutex<State>
  /// nil: not allowed.
  private let usbReset: USBReset?
  /// Is called by one thread at a time.
  private let tell: @Sendable (Event) -> Void
  private let wakesReader = WakeEvent()
  private let wakesWatch = WakeEvent()

  init(
    _ name: String, _ source: KeptSource<Element>, usbReset: USBReset?,
    _ tell: @escaping @Sendable (Event) -> Void
  ) {
    (self.name, self.usbReset, self.tell) = (name, usbReset, tell)
    state = Mutex(State(source: source))
  }

  func start() {
    let source = state.withLock { state in
      state.presence = Presence(at: .now)
      return state.source
    }
    startReader(source, 0)
    if source.renewed() != nil { startWatch() }
  }

  private func startWatch() {
    let isNew = state.withLock { state in
      defer { state.isWatched = true }
      return !state.isWatched
    }
    if isNew { startThread("watch-\(name)") { [self] in watch() } }
  }

  /// The capture thread ends when the source lets it.
  func stop() {
    let (source, hasEnded) = state.withLock { state in
      state.isOver = true
      return (state.source, state.hasEnded)
    }
    source.cancel()
    wakesReader.signal()
    wakesWatch.signal()
    if hasEnded { tell(.stopped) }
  }

  /// Has the source open its device anew; false: that would not help.
  func reopen() -> Bool { state.withLock { $0.source }.reopen() }

  func wantKeyframe() { state.withLock { $0.source }.wantKeyframe() }

  // MARK: The capture thread

  private func startReader(_ source: KeptSource<Element>, _ reader: Int) {
    startThread("capture-\(name)", turns: .short) { [self] in
      while read(source, reader) {}
      let isEnd = state.withLock { state in
        if state.reader != reader { state.presence.returned() }
        state.hasEnded = state.reader == reader
        return state.isOver && state.hasEnded
      }
      if isEnd { tell(.stopped) }
      wakesWatch.signal()
    }
  }

  /// - Returns: false at the end, or when this thread was abandoned.
  private func read(_ source: KeptSource<Element>, _ reader: Int) -> Bool {
    do {
      guard let element = try source.next() else {
        if state.withLock({ $0.isOver || $0.reader != reader }) { return false }
        throw SourceError.lost(name, reason: "it has ended")
      }
      var isWatched = true
      defer { if !isWatched && source.renewed() != nil { startWatch() } }
      return note(as: reader) { state in
        isWatched = state.isWatched
        let wasRunning = state.presence.state == .running
        if state.presence.delivered(at: .now) == .welcome { tell(.back) }
        tell(.delivered(element))
        return !wasRunning
      }
    } catch {
      let canReset = (error as? SourceError)?.mayPassByReset == true && isOnBus(source)
      let goesOn = note(as: reader) { state in
        fail(error, source, canReset: canReset, &state)
        return true
      }
      guard let error = error as? SourceError, error.isFinal else { return goesOn && rest(reader) }
      if goesOn { tell(.ended(error)) }
      return false
    }
  }

  /// Whether its USB device is there, and may be reset. To be asked without a lock: sysfs waits for whoever
  /// resets the device.
  private func isOnBus(_ source: KeptSource<Element>) -> Bool {
    usbReset?.finds(source.usb()) ?? false
  }

  private func fail(
    _ error: any Error, _ source: KeptSource<Element>, canReset: Bool, _ state: inout State
  ) {
    let reason = "\(error)"
    state.presence.sawOnBus(canReset, at: .now)
    switch state.presence.failed(at: .now) {
    case .lose:
      state.reasons = [reason]
      tell(.lost(reason: reason, error as? SourceError))
    case .reset: resetUSB(source)
    case .callForHelp: callForHelp(reason)
    case .loseSilent, .welcome, .abandon, nil:
      let isNews = state.reasons.insert(reason).inserted
      if isNews && state.reasons.count <= Self.mostReasons { tell(.stillLost(reason: reason)) }
    }
  }

  /// Waits for the moment of the next try.
  private func rest(_ reader: Int) -> Bool {
    let devices = DeviceFolder()
    devices.begin()
    while case .waiting(let until) = state.withLock({ $0.presence.state }) {
      switch devices.wait(for: wakesReader, until: until) {
      case .changed: state.withLock { $0.presence.noticedChange(at: .now) }
      case .timeout:
        return note(as: reader) { state in
          state.presence.called(at: .now)
          return true
        }
      case .woken: return !state.withLock { $0.isOver }
      }
    }
    return true
  }

  /// Changes the state, unless it is over or this thread was abandoned.
  ///
  /// - Parameter change: returns whether the watch should look at the clock anew.
  /// - Returns: whether to go on.
  private func note(as reader: Int, _ change: (inout State) -> Bool) -> Bool {
    let isNews: Bool? = state.withLock { state in
      guard !state.isOver && state.reader == reader else { return nil }
      return change(&state)
    }
    if isNews == true { wakesWatch.signal() }
    return isNews != nil
  }

  // MARK: The watch

  private func watch() {
    while let deadline = state.withLock({ $0.isOver ? nil : $0.presence.deadline }) {
      wakesWatch.wait(until: deadline)
      let lost = state.withLock { $0.presence.state == .lost ? $0.source : nil }
      let canReset = lost.map(isOnBus) ?? false
      state.withLock { state in
        guard !state.isOver else { return }
        if lost != nil { state.presence.sawOnBus(canReset, at: .now) }
        switch state.presence.passed(to: .now) {
        case .loseSilent(let milliseconds):
          state.reasons = []
          tell(.lost(reason: "\(device) delivers nothing, for \(milliseconds) ms now", nil))
        case .abandon:
          guard let source = state.source.renewed() else { return }
          state.source.cancel()  // what is only late lets go of its device
          state.source = source
          state.reader += 1
          startReader(source, state.reader)
        case .reset: resetUSB(state.source)
        case .callForHelp: callForHelp("\(device) does not answer, however often it is opened")
        case .lose, .welcome, nil: break
        }
      }
    }
  }

  // MARK: What helps

  private func callForHelp(_ reason: String) {
    tell(.needsHand("\(reason); see to it, or plug it in anew"))
  }

  /// Takes up to some seconds, and may hang where its driver does.
  private func resetUSB(_ source: KeptSource<Element>) {
    guard let usbReset, let usb = source.usb() else { return }
    startThread("usb-reset") { [self] in
      guard let words = usbReset.reset(usb).words else { return }
      state.withLock { state in
        if !state.isOver { tell(.helped(words)) }
      }
    }
  }

  private var device: String { name == "video" ? "the camera" : "the microphone" }
}
