package import BunnySystem

/// Which address is tried next, and when: the order and the pace of RFC 8305. Opens nothing.
package struct AddressPlan {
  /// An address gets so long before the next one is tried beside it, in nanoseconds.
  package static let stagger = Int64.milliseconds(250)

  private var waiting: [SocketAddress] = []
  /// All that were added, in that order.
  package private(set) var known: [SocketAddress] = []
  private var lastFamily: Int32?
  private var next = MonotonicTime(nanoseconds: 0)

  /// When the next attempt is due; nil when there is none to make.
  package var due: MonotonicTime? { waiting.isEmpty ? nil : next }

  package init() {}

  /// Adds what is not known yet, behind what still waits.
  package mutating func add(_ addresses: [SocketAddress]) {
    for address in addresses where !known.contains(address) {
      known.append(address)
      waiting.append(address)
    }
  }

  /// An attempt has failed: the next one need not wait.
  package mutating func failed() { next = MonotonicTime(nanoseconds: 0) }

  /// The address to try now: the first one of another family than the last, if there is one.
  package mutating func take(at now: MonotonicTime) -> SocketAddress? {
    guard let due, due <= now else { return nil }
    let index = waiting.firstIndex { $0.family != lastFamily } ?? 0
    lastFamily = waiting[index].family
    next = now + Self.stagger
    return waiting.remove(at: index)
  }
}
