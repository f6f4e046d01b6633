import BunnySystem
import Synchronization

/// One connection to one ingest: opens it, holds it until there is something to publish, publishes
/// that, takes leave. Used once.
///
/// Everything happens on the thread that calls ``run(_:)``, in one loop over the socket, the feed's wake
/// event and what is asked of it; neither reading nor writing ever waits for the other.
public final class RTMPConnection: Sendable {
  public struct Options: Sendable {
    /// Seconds for everything up to `NetStream.Publish.Start`; of a connection that was kept ready, from
    /// the word to publish on.
    public var budget = 5.0
    /// Seconds for which the server may owe us a proof that it reads.
    public var stallLimit = 1.5
    /// A server that owes it for longer ends the session; false leaves that to whoever holds it.
    public var endsWhenStalled = true
    /// Bytes in our chunks: 1 to 2^31 - 1. nginx-rtmp loses bytes when this is below the 128 that a
    /// session begins with.
    public var chunkSize: UInt32 = 65_536
    /// Milliseconds added to every timestamp.
    package var timestampBase: Int64 = 0
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

  private let orders = ConnectionOrders()
  private let current = Mutex(RTMPCounters())
  private let resumed: Mutex<TLSResumption?>
  private let book: AddressBook

  public convenience init(to ingest: Ingest, options: Options = Options()) {
    self.init(to: ingest, options: options, resuming: nil)
  }

  /// - Parameter resumption: ``resumption`` of an earlier connection to the same host.
  /// - Parameter book: Where this ingest and others have answered: shared by all connections of a
  ///   broadcast.
  package init(
    to ingest: Ingest, options: Options, resuming resumption: TLSResumption?,
    book: AddressBook = AddressBook()
  ) {
    self.ingest = ingest
    self.options = options
    self.book = book
    resumed = Mutex(resumption)
  }

  /// ``publish(_:)`` and ``run(_:)`` in one.
  ///
  /// - Parameter onState: Called on this thread at each change.
  public func publish(
    _ feed: any RTMPFeed, onState: (RTMPConnectionState) -> Void
  ) throws(RTMPError) {
    publish(feed)
    try run { event in if case .state(let state) = event { onState(state) } }
  }

  /// Publishes `feed` as soon as the server is ready for it. Callable from any thread, once.
  public func publish(_ feed: any RTMPFeed) { orders.publish(feed) }

  /// Asks the server whether it is there; ``RTMPEvent/pong`` is the answer. From any thread.
  public func ping() { orders.ping() }

  /// Connects, and stays ready until ``publish(_:)``; then publishes everything the feed gives. Returns
  /// when the feed has finished or ``close()`` was called. Blocks the calling thread.
  ///
  /// - Parameter report: Called on this thread; ``RTMPConnectionState/closed`` always comes last.
  /// - Throws: Why there was no session, or why it ended. Not after ``close()``.
  public func run(_ report: (RTMPEvent) -> Void) throws(RTMPError) {
    defer { report(.state(.closed)) }
    report(.state(.connecting))
    let tls = try makeTLS()
    defer { keep(tls?.resumption) }
    let deadline = MonotonicTime.now + .seconds(options.budget)
    let connector = Connector(
      ingest: ingest, book: book, deadline: deadline, budget: options.budget, stop: orders.stop)
    guard let connected = try connector.connect() else { return }
    report(.state(.handshaking))
    let session = PublishSession(to: ingest, settings: PublishSession.Settings(options))
    try withoutActuallyEscaping(report) { report throws(RTMPError) in
      var loop = PublishLoop(
        session: session, wire: Wire(over: tls), options: options, orders: orders,
        deadline: deadline
      ) { event in
        self.note(event, connected.found, tls)
        report(event)
      }
      try loop.run(
        over: connected.socket, onCount: { counters in self.current.withLock { $0 = counters } })
    }
  }

  /// Ends the session: ``run(_:)`` takes leave of the server as well as it can, and returns within a
  /// second whatever the server does. Callable from any thread, any number of times, and before `run`
  /// too.
  public func close() { orders.stop.signal() }

  /// What spares the next connection to this host some of the TLS handshake: of this connection once
  /// it is ready, until then what it was given.
  package var resumption: TLSResumption? { resumed.withLock { $0 } }

  private func keep(_ resumption: TLSResumption?) {
    if let resumption { resumed.withLock { $0 = resumption } }
  }

  /// Puts the addresses into the book once the first has proved that it speaks RTMP, and keeps what TLS
  /// has given us by then.
  private func note(_ event: RTMPEvent, _ found: [SocketAddress], _ tls: TLSSession?) {
    if event == .state(.connected) { book.note(found, of: ingest) }
    if event == .state(.ready) { keep(tls?.resumption) }
  }

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
