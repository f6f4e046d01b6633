import BunnyCapture
import BunnyMedia
import BunnySystem
import Synchronization

/// What a keeper asks of a source, of pictures and of sound alike.
struct KeptSource<Element: Sendable>: Sendable {
  let next: @Sendable () throws -> Element?
  let cancel: @Sendable () -> Void
  /// One for the same device that has opened nothing; nil: its calls return.
  let renewed: @Sendable () -> KeptSource?
}

extension KeptSource<Captured> {
  init(_ source: any PictureSource) {
    let next: @Sendable () throws -> Captured? =
      if let source = source as? any CodedPictureSource {
        source.nextCaptured
      } else {
        { try source.next().map { .picture($0) } }
      }
    self.init(next: next, cancel: source.cancel) { source.renewed().map(KeptSource.init) }
  }
}

extension KeptSource<Samples> {
  init(_ source: any SampleSource) {
    self.init(next: source.next, cancel: source.cancel) { source.renewed().map(KeptSource.init) }
  }
}

/// Keeps a source delivering, as ``Presence`` decides: a capture thread asks it again and again, and
/// where its calls may not return, another thread looks at the clock.
final class Keeper<Element: Sendable>: Sendable {
  enum Event {
    case delivered(Element)
    /// Once, until ``back``.
    case lost(reason: String)
    case back
    /// A person has to do something, and what.
    case needsHelp(String)
    /// It can never deliver again.
    case ended(SourceError)
  }

  private struct State {
    var source: KeptSource<Element>
    var presence = Presence(at: .now)
    /// Counts the capture threads: who is not the last was abandoned.
    var reader = 0
    var isOver = false
  }

  /// `video` or `audio`.
  private let name: String
  private let state: Mutex<State>
  /// Is called by one thread at a time.
  private let tell: @Sendable (Event) -> Void
  private let wakesReader = WakeEvent()
  private let wakesWatch = WakeEvent()

  init(
    _ name: String, _ source: KeptSource<Element>, _ tell: @escaping @Sendable (Event) -> Void
  ) {
    (self.name, self.tell) = (name, tell)
    state = Mutex(State(source: source))
  }

  func start() {
    let source = state.withLock { state in
      state.presence = Presence(at: .now)
      return state.source
    }
    startReader(source, 0)
    if source.renewed() != nil { startThread("watch-\(name)") { [self] in watch() } }
  }

  /// The capture thread ends when the source lets it.
  func stop() {
    let source = state.withLock { state in
      state.isOver = true
      return state.source
    }
    source.cancel()
    wakesReader.signal()
    wakesWatch.signal()
  }

  // MARK: The capture thread

  private func startReader(_ source: KeptSource<Element>, _ reader: Int) {
    startThread("capture-\(name)", turns: .short) { [self] in
      while read(source, reader) {}
      state.withLock { if $0.reader != reader { $0.presence.returned() } }
      wakesWatch.signal()
    }
  }

  /// - Returns: false at the end, or when this thread was abandoned.
  private func read(_ source: KeptSource<Element>, _ reader: Int) -> Bool {
    do {
      guard let element = try source.next() else { return false }
      return note(as: reader) { presence in
        let wasRunning = presence.state == .running
        if presence.delivered(at: .now) == .welcome { tell(.back) }
        tell(.delivered(element))
        return !wasRunning
      }
    } catch {
      let goesOn = note(as: reader) { presence in
        if presence.failed(at: .now) == .lose { tell(.lost(reason: "\(error)")) }
        return true
      }
      guard let error = error as? SourceError, error.isFinal else { return goesOn && rest(reader) }
      if goesOn { tell(.ended(error)) }
      return false
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
        return note(as: reader) { presence in
          presence.called(at: .now)
          return true
        }
      case .woken: return !state.withLock { $0.isOver }
      }
    }
    return true
  }

  /// Changes the presence, unless it is over or this thread was abandoned.
  ///
  /// - Parameter change: returns whether the watch should look at the clock anew.
  /// - Returns: whether to go on.
  private func note(as reader: Int, _ change: (inout Presence) -> Bool) -> Bool {
    let isNews: Bool? = state.withLock { state in
      guard !state.isOver && state.reader == reader else { return nil }
      return change(&state.presence)
    }
    if isNews == true { wakesWatch.signal() }
    return isNews != nil
  }

  // MARK: The watch

  private func watch() {
    while let deadline = state.withLock({ $0.isOver ? nil : $0.presence.deadline }) {
      wakesWatch.wait(until: deadline)
      state.withLock { state in
        guard !state.isOver else { return }
        switch state.presence.passed(to: .now) {
        case .loseSilent(let milliseconds):
          tell(.lost(reason: "\(device) delivers nothing, for \(milliseconds) ms now"))
        case .abandon:
          guard let source = state.source.renewed() else { return }
          state.source = source
          state.reader += 1
          startReader(source, state.reader)
        case .callForHelp:
          tell(.needsHelp("\(device) does not answer, however often it is opened; plug it in anew"))
        case .lose, .welcome, nil: break
        }
      }
    }
  }

  private var device: String { name == "video" ? "the camera" : "the microphone" }
}
