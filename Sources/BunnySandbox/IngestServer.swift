import BunnyMedia
import BunnySystem

/// One of the two ingests: its nginx, and the player that pulls from it what encoders publish.
///
/// Both belong to a thread of their own, which starts nginx again only when told to: an ingest that
/// somebody kills stays dead.
final class IngestServer: Sendable {
  /// What the ingest tells, on its thread.
  protocol Listener: Sendable {
    func came(_ tag: MediaTag, from ingest: IngestName)
    /// The player has lost its connection.
    func broke(_ ingest: IngestName)
    /// nginx is dead.
    func ended(_ ingest: IngestName)
  }

  private struct State: Sendable {
    var processID: Int32?  // nil: dead
    var isPlaying = false  // from the nginx that runs now, or ran last
    var shouldStart = true
    var shouldEnd = false
    var hasEnded = false
    var failure: SandboxError?
    var interrupter = Interrupter()
  }

  let name: IngestName
  let port: UInt16
  private let folder: String
  private let configuration: String
  private let key: @Sendable () -> String
  private let listener: any Listener
  private let state = Awaited(State())
  private let wake = WakeEvent()

  /// - Parameters:
  ///   - folder: exists already and is this ingest's alone.
  ///   - hooks: the address that nginx asks, without a slash at the end.
  ///   - key: tells the stream to play.
  init(
    _ name: IngestName, port: UInt16, folder: String, hooks: String,
    key: @escaping @Sendable () -> String, listener: any Listener
  ) {
    self.key = key
    self.name = name
    self.port = port
    self.folder = folder
    self.listener = listener
    configuration = Nginx.configuration(folder: folder, port: port, hooks: hooks)
  }

  /// Starts the thread, and waits until nginx is up and the player waits for a publisher.
  func start() throws(SandboxError) {
    startThread("ingest-\(name.rawValue)") { self.run() }
    try waitUntilUp()
  }

  /// Ends nginx if it runs, starts it, and waits until it is up.
  func restart() throws(SandboxError) {
    state.change { state in
      state.shouldStart = true
      state.failure = nil
      state.interrupter.interrupt()
    }
    wake.signal()
    try waitUntilUp()
  }

  /// The key has changed: plays what it names now.
  func playAnew() { state.change { $0.interrupter.interrupt() } }

  /// nil when it is dead.
  var processID: Int32? { state.current.processID }

  /// nginx told that the player is there.
  func playerCame() { state.change { $0.isPlaying = true } }

  /// Ends nginx and the thread, and waits for that.
  func end() {
    state.change { state in
      state.shouldEnd = true
      state.interrupter.interrupt()
    }
    wake.signal()
    state.wait(atMost: 10) { $0.hasEnded }
  }

  private func waitUntilUp() throws(SandboxError) {
    let isUp = state.wait(atMost: 10) { state in
      (state.isPlaying && !state.shouldStart) || state.failure != nil || state.hasEnded
    }
    if let failure = state.current.failure { throw failure }
    if !isUp { throw .cannotStart(Nginx.command, reason: "port \(port) does not answer") }
  }

  // MARK: The thread

  private func run() {
    defer { state.change { $0.hasEnded = true } }
    while !state.current.shouldEnd {
      state.change { state in
        state.shouldStart = false
        state.isPlaying = false
      }
      do throws(SandboxError) {
        try serve(Nginx(folder: folder, configuration: configuration))
      } catch {
        // Whoever has asked for another start meanwhile waits for that one.
        state.change { state in if !state.shouldStart { state.failure = error } }
      }
      if !state.current.shouldEnd { listener.ended(name) }
      while !state.current.shouldStart && !state.current.shouldEnd {
        wake.wait(until: .distantFuture)
      }
    }
  }

  /// Plays from `nginx` until it is dead, or to be ended.
  private func serve(_ nginx: consuming Nginx) throws(SandboxError) {
    state.change { $0.processID = nginx.processID }
    defer { state.change { $0.processID = nil } }
    while true {
      let interrupter = Interrupter()
      let mustEnd = state.change { state in
        state.interrupter = interrupter
        return state.shouldEnd || state.shouldStart
      }
      if mustEnd {
        nginx.end()
        return
      }
      play(interrupter)
      if nginx.hasEnded() {
        guard state.current.isPlaying else {
          throw .portTaken("the \(name.rawValue) ingest", port, "--\(name.rawValue)-port")
        }
        return
      }
      wake.wait(until: .now + .milliseconds(20))
    }
  }

  private func play(_ interrupter: Interrupter) {
    let source = "rtmp://127.0.0.1:\(port)/live/\(key())"
    guard let reader = try? TagReader(source, interrupter: interrupter) else { return }
    while let tag = try? reader.next() { listener.came(tag, from: name) }
    listener.broke(name)
  }
}
