import Glibc
import Synchronization

/// Where the ingests of a broadcast have answered, for when their names cannot be looked up.
///
/// Belongs to whoever makes connections and outlives each of them. Asks the system's resolver, and
/// keeps the number of questions that it owes an answer within bounds.
package final class AddressBook: Sendable {
  /// At most so many addresses are remembered of a name.
  package static let longestEntry = 16
  /// So many unanswered questions about one name, each a thread; then the last one has to do.
  package static let mostQuestions = 4

  private struct Place: Hashable {
    let host: String
    let port: UInt16

    init(_ ingest: Ingest) { (host, port) = (ingest.host, ingest.port) }
  }

  private struct State {
    var known: [Place: [SocketAddress]] = [:]
    var asking: [Place: [Resolver]] = [:]
  }

  private let state = Mutex(State())
  private let lookUp: NameLookUp

  /// - Parameter lookUp: How names are looked up; by the system.
  package init(
    lookUp: @escaping NameLookUp = { BunnyRTMP.lookUp($0, $1, flags: AI_ADDRCONFIG) }
  ) {
    self.lookUp = lookUp
  }

  /// The addresses of `ingest`, the one that was good last first.
  package func addresses(of ingest: Ingest) -> [SocketAddress] {
    state.withLock { $0.known[Place(ingest)] ?? [] }
  }

  /// Notes that an RTMP server has answered at the first of `addresses`; the others are its name's too.
  package func note(_ addresses: [SocketAddress], of ingest: Ingest) {
    state.withLock { state in
      var seen: Set<SocketAddress> = []
      let all = addresses + state.known[Place(ingest), default: []]
      let distinct = all.filter { seen.insert($0).inserted }
      state.known[Place(ingest)] = Array(distinct.prefix(Self.longestEntry))
    }
  }

  /// Has the name looked up. A question of its own, for one that was asked while the network was down
  /// may wait for its repetition long after the network is back.
  func resolve(_ ingest: Ingest) -> Resolver {
    state.withLock { state in
      var asking = state.asking[Place(ingest), default: []].filter { $0.answer == nil }
      defer { state.asking[Place(ingest)] = asking }
      if asking.count >= Self.mostQuestions, let last = asking.last { return last }
      let resolver = Resolver(host: ingest.host, port: ingest.port, lookUp: lookUp)
      if resolver.answer == nil { asking.append(resolver) }
      return resolver
    }
  }
}
