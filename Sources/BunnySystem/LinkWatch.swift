import CBunnyShims
import Glibc
import Synchronization

/// Notices when a network link or an address comes up (netlink), to end waits for a network.
///
/// Watches the network namespace of the thread that makes it. Never fails: where the kernel has no
/// netlink, or does not give it to this process, nothing is ever noticed.
package final class LinkWatch: Sendable {
  /// Readable when there may be news, until ``hasComeUp()`` is asked; -1, which `poll` passes over,
  /// when there never will be. Closed with this object.
  package let fileDescriptor: Int32
  private let state = Mutex(LinkState())

  package init() {
    fileDescriptor = bunny_link_socket()
    if fileDescriptor >= 0 { state.withLock { $0 = survey() } }
  }

  deinit { if fileDescriptor >= 0 { close(fileDescriptor) } }

  /// Whether a link has got its carrier, or a link that has one an address for more than its own
  /// network, since the last time. Returns at once.
  package func hasComeUp() -> Bool {
    state.withLock { state in
      var hasComeUp = false
      while true {
        switch read() {
        case .datagram(let bytes): hasComeUp = state.apply(bytes).hasComeUp || hasComeUp
        case .overflow:
          state = survey()
          return true  // nobody knows; a wait that ends in vain costs one try
        case .nothing: return hasComeUp
        }
      }
    }
  }

  /// Waits, and calls `onUp` each time something has come up, until `stop` is readable.
  package func run(until stop: WakeEvent, onUp: () -> Void) {
    var polls = [stop.fileDescriptor, fileDescriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while true {
      guard poll(&polls, nfds_t(polls.count), -1) > 0 else { continue }  // a signal
      if polls[0].revents != 0 { return }
      if hasComeUp() { onUp() }
    }
  }

  /// Asks for all that there is; nothing where there is no answer.
  private func survey() -> LinkState {
    var found = LinkState()
    for question in [RTM_GETLINK, RTM_GETADDR] {
      guard bunny_ask_for_links(fileDescriptor, UInt16(question)) == 0 else { continue }
      var isOver = false
      while !isOver {
        switch read() {
        case .datagram(let bytes): isOver = found.apply(bytes).isEnd
        case .overflow: break  // the answer still comes
        case .nothing: isOver = true  // the kernel answers while it is asked: nothing will come
        }
      }
    }
    return found
  }

  private enum Reading {
    case datagram(ArraySlice<UInt8>)
    /// The kernel had more to say than there was room for.
    case overflow
    case nothing
  }

  private func read() -> Reading {
    var space = [UInt8](repeating: 0, count: 32_768)  // the most that the kernel puts together
    while true {
      let count = recv(fileDescriptor, &space, space.count, 0)
      if count > 0 { return .datagram(space[..<count]) }
      if count < 0, errno == EINTR { continue }
      return count < 0 && errno == ENOBUFS ? .overflow : .nothing
    }
  }
}
