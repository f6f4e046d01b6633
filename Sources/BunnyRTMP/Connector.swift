import BunnySystem
import Glibc

/// TCP with an ingest.
struct Connected: ~Copyable {
  let socket: TCPSocket
  /// What is known of its addresses, the one that answered first.
  let found: [SocketAddress]
}

/// Opens TCP to an ingest: looks up its name, then tries its addresses beside each other, each a
/// little after the one before. The first that answers is it.
///
/// Where a name cannot be looked up, or not soon, the addresses are tried that were good before.
struct Connector {
  /// A resolver that has not answered after this long is helped out by the book, in nanoseconds.
  static let patience = Int64.seconds(1)

  let ingest: Ingest
  let book: AddressBook
  let deadline: MonotonicTime
  let budget: Double  // seconds, for the error
  let stop: WakeEvent  // readable: give up, without an error

  /// - Returns: nil when stopped.
  func connect() throws(RTMPError) -> Connected? {
    var search = AddressSearch(
      ingest: ingest, book: book, patience: min(Self.patience, .seconds(budget / 2)))
    var plan = AddressPlan()
    var attempts: [Attempt] = []
    while true {
      plan.add(search.news(at: .now))
      while let address = plan.take(at: .now) {
        attempts.append(Attempt(at: address))
        if attempts.last?.failure != nil { plan.failed() }
      }
      let running = attempts.filter(\.isRunning)
      let isHopeless = running.isEmpty && plan.due == nil && search.isOver
      guard !isHopeless, MonotonicTime.now < deadline else { throw failure(attempts, search) }

      let limits = [deadline, plan.due, search.limit].compactMap(\.self)
      let ready = wait(
        for: [(stop.fileDescriptor, POLLIN), (search.fileDescriptor, POLLIN)]
          + running.map { ($0.fileDescriptor, POLLOUT) }, until: limits.min() ?? deadline)
      if ready[0] != 0 { return nil }
      for (attempt, events) in zip(running, ready.dropFirst(2)) where events != 0 {
        if let socket = attempt.finish() {
          return Connected(socket: socket, found: [attempt.address] + plan.known)
        }
        plan.failed()
      }
    }
  }

  /// What each address answered, in the order in which they were tried, and the resolver if it is to
  /// blame too.
  private func failure(_ attempts: [Attempt], _ search: AddressSearch) -> RTMPError {
    guard !attempts.isEmpty else {
      guard let words = search.failure else {
        return RTMPError(.timedOut(.resolving, seconds: budget), at: ingest)
      }
      return RTMPError(.unknownHost(words), at: ingest)
    }
    guard attempts.contains(where: { $0.failure != nil }) else {
      return RTMPError(.timedOut(.connecting, seconds: budget), at: ingest)
    }
    var answers = attempts.map { "\($0.address): \($0.failure ?? "no answer")" }
    if !search.hasFound { answers.append("looking up the name: \(search.failure ?? "no answer")") }
    return RTMPError(.unreachable(answers.joined(separator: ", ")), at: ingest)
  }
}

/// One address that is being tried. Hangs up with this object.
private final class Attempt {
  let address: SocketAddress
  private(set) var failure: String?  // in the system's words
  private var socket: TCPSocket?

  init(at address: SocketAddress) {
    self.address = address
    socket = TCPSocket.connecting(to: address)
    if socket == nil { failure = systemWords(errno) }
  }

  var isRunning: Bool { failure == nil }
  var fileDescriptor: Int32 { socket?.fileDescriptor ?? -1 }

  /// Takes the outcome, which is there.
  /// - Returns: The open socket; nil when there is a ``failure``.
  func finish() -> TCPSocket? {
    let error = socket?.pendingError ?? ENOTCONN
    // A reset came after somebody had accepted: that is the handshake's to report.
    if error == 0 || error == ECONNRESET { return socket.take() }
    failure = systemWords(error)
    socket = nil
    return nil
  }
}

/// What is known of an ingest's addresses: by its name, and out of the book if need be.
private struct AddressSearch {
  private let resolver: Resolver
  private let remembered: [SocketAddress]
  private let patienceEnd: MonotonicTime
  private var isAnswered = false
  private var hasUsedBook = false
  /// The resolver's words, if it has failed.
  private(set) var failure: String?
  private(set) var hasFound = false

  init(ingest: Ingest, book: AddressBook, patience: Int64) {
    resolver = book.resolve(ingest)
    remembered = book.addresses(of: ingest)
    patienceEnd = .now + patience
  }

  /// Nothing more will come.
  var isOver: Bool { isAnswered }
  /// To be polled for news; -1 when none will come this way.
  var fileDescriptor: Int32 { isAnswered ? -1 : resolver.done.fileDescriptor }
  /// When there will be news at the latest, if so.
  var limit: MonotonicTime? {
    isAnswered || hasUsedBook || remembered.isEmpty ? nil : patienceEnd
  }

  /// The addresses that have come to be known.
  mutating func news(at now: MonotonicTime) -> [SocketAddress] {
    guard !isAnswered else { return [] }
    switch resolver.answer {
    case .addresses(let addresses):
      (isAnswered, hasFound) = (true, true)
      return addresses
    case .failure(let words):
      (isAnswered, failure) = (true, words)
    case nil:
      guard now >= patienceEnd else { return [] }
    }
    defer { hasUsedBook = true }
    return hasUsedBook ? [] : remembered
  }
}
