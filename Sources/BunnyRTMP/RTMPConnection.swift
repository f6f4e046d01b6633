import BunnySystem
import Synchronization

/// One connection to one ingest: opens it, publishes a feed, takes leave. Used once.
///
/// Everything happens on the thread that calls ``publish(_:onState:)``, in one loop over the socket,
/// the feed's wake event and ``close()``; neither reading nor writing ever waits for the other.
public final class RTMPConnection: Sendable {
  public struct Options: Sendable {
    /// Seconds for everything up to `NetStream.Publish.Start`.
    public var budget = 5.0
    /// Seconds for which the kernel may take no byte while some wait.
    public var sendStallLimit = 10.0
    /// Bytes in our chunks: 1 to 2^31 - 1. nginx-rtmp loses bytes when this is below the 128 that a
    /// session begins with.
    public var chunkSize: UInt32 = 65_536
    /// Milliseconds added to every timestamp.
    public var timestampBase: Int64 = 0
    /// After how many bytes the server is asked to acknowledge.
    public var acknowledgementWindow: UInt32 = 4096
    /// Whom an `rtmps` server has to be vouched for by.
    public var tls = TLSTrust.system
    /// What we say we are, in `connect`.
    public var flashVersion = "FMLE/3.0 (compatible; bunny-broadcast)"

    public init() {}
  }

  public let ingest: Ingest
  public let options: Options

  private let stop = WakeEvent()
  private let current = Mutex(RTMPCounters())
  private let resumed: Mutex<TLSResumption?>

  public convenience init(to ingest: Ingest, options: Options = Options()) {
    self.init(to: ingest, options: options, resuming: nil)
  }

  /// - Parameter resumption: ``resumption`` of an earlier connection to the same host.
  package init(to ingest: Ingest, options: Options, resuming resumption: TLSResumption?) {
    self.ingest = ingest
    self.options = options
    resumed = Mutex(resumption)
  }

  /// Connects, publishes everything the feed gives, and returns when the feed has finished or
  /// ``close()`` was called. Blocks the calling thread.
  ///
  /// - Parameter onState: Called on this thread at each change, ``RTMPConnectionState/closed``
  ///   always last.
  /// - Throws: Why there was no session, or why it ended. Not after ``close()``.
  public func publish(
    _ feed: any RTMPFeed, onState: (RTMPConnectionState) -> Void
  ) throws(RTMPError) {
    defer { onState(.closed) }
    onState(.connecting)
    let tls = try makeTLS()
    defer { if let next = tls?.resumption { resumed.withLock { $0 = next } } }
    let deadline = MonotonicTime.now + .seconds(options.budget)
    let connector = Connector(
      ingest: ingest, deadline: deadline, budget: options.budget, stop: stop)
    guard let socket = try connector.connect() else { return }
    onState(.handshaking)
    var loop = PublishLoop(
      session: PublishSession(to: ingest, settings: PublishSession.Settings(options)),
      wire: Wire(over: tls), options: options, deadline: deadline, stop: stop)
    try loop.run(
      over: socket, feed, onState: onState,
      onCount: { counters in self.current.withLock { $0 = counters } })
  }

  /// Ends the session: ``publish(_:onState:)`` takes leave of the server as well as it can, and
  /// returns within a second whatever the server does. Callable from any thread, any number of times,
  /// and before `publish` too.
  public func close() { stop.signal() }

  /// What spares the next connection to this host some of the TLS handshake: of this connection once
  /// it is over, until then what it was given.
  package var resumption: TLSResumption? { resumed.withLock { $0 } }

  private func makeTLS() throws(RTMPError) -> TLSSession? {
    guard ingest.isSecure else { return nil }
    do throws(TLSFailure) {
      return try TLSSession(
        TLSContext(trusting: options.tls), host: ingest.host, resuming: resumption,
        hiding: ingest.secrets)
    } catch { throw RTMPError(.tls(error), at: ingest) }
  }

  /// A snapshot, from any thread.
  public var counters: RTMPCounters { current.withLock { $0 } }
}

extension PublishSession.Settings {
  init(_ options: RTMPConnection.Options) {
    self.init()
    chunkSize = options.chunkSize
    timestampBase = options.timestampBase
    acknowledgementWindow = options.acknowledgementWindow
    flashVersion = options.flashVersion
  }
}
