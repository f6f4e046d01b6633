import CBunnyShims
import Glibc

/// Which network links can carry something, and the addresses on them, as far as the kernel's messages
/// tell. Opens nothing; whatever the bytes are, it never traps.
package struct LinkState: Equatable, Sendable {
  /// What a datagram meant.
  package struct News: Equatable, Sendable {
    /// A link or an address that was not there before.
    package var hasComeUp = false
    /// It ended the answer to a question.
    package var isEnd = false
  }

  private struct Address: Hashable {
    let link: UInt32
    let bytes: [UInt8]
  }

  private var links: Set<UInt32> = []
  private var addresses: Set<Address> = []

  package init() {}

  /// Takes in the messages of one datagram.
  package mutating func apply(_ datagram: ArraySlice<UInt8>) -> News {
    var news = News()
    var rest = datagram
    while let header = rest.first(as: nlmsghdr.self),
      let message = rest.takeFirst(Int(header.nlmsg_len), past: MemoryLayout<nlmsghdr>.size)
    {
      switch Int(header.nlmsg_type) {
      case RTM_NEWLINK: if setLink(message) { news.hasComeUp = true }
      case RTM_DELLINK: removeLink(message)
      case RTM_NEWADDR: if setAddress(message) { news.hasComeUp = true }
      case RTM_DELADDR: if let address = address(message) { addresses.remove(address) }
      case Int(NLMSG_DONE), Int(NLMSG_ERROR): news.isEnd = true
      default: break
      }
    }
    return news
  }

  /// Whether the link has come up: one that is told of again has not.
  private mutating func setLink(_ message: ArraySlice<UInt8>) -> Bool {
    guard let link = message.first(as: ifinfomsg.self) else { return false }
    let flags = Int(link.ifi_flags)
    guard flags & IFF_LOOPBACK == 0 else { return false }
    let index = UInt32(bitPattern: link.ifi_index)
    guard flags & IFF_RUNNING != 0 else {  // up, and with a carrier
      links.remove(index)
      return false
    }
    return links.insert(index).inserted
  }

  private mutating func removeLink(_ message: ArraySlice<UInt8>) {
    guard let link = message.first(as: ifinfomsg.self) else { return }
    // A bridge that lets a port go says so, too: then the link is still there.
    guard link.ifi_family == AF_UNSPEC else { return }
    links.remove(UInt32(bitPattern: link.ifi_index))
  }

  /// Whether an address has come up with which others than this machine's neighbours can be reached.
  private mutating func setAddress(_ message: ArraySlice<UInt8>) -> Bool {
    guard let header = message.first(as: ifaddrmsg.self), let address = address(message) else {
      return false
    }
    let isUsable = Int32(header.ifa_flags) & (IFA_F_TENTATIVE | IFA_F_DADFAILED) == 0
    guard isUsable, header.ifa_scope < RT_SCOPE_LINK.rawValue else { return false }
    return addresses.insert(address).inserted && links.contains(address.link)
  }

  private func address(_ message: ArraySlice<UInt8>) -> Address? {
    guard let header = message.first(as: ifaddrmsg.self) else { return nil }
    var attributes = message.dropFirst(MemoryLayout<ifaddrmsg>.size)
    var bytes: ArraySlice<UInt8>?
    while let attribute = attributes.first(as: rtattr.self),
      let value = attributes.takeFirst(Int(attribute.rta_len), past: MemoryLayout<rtattr>.size)
    {
      switch Int(attribute.rta_type) {
      case IFA_LOCAL: bytes = value  // ours, where a peer's is IFA_ADDRESS
      case IFA_ADDRESS: bytes = bytes ?? value
      default: break
      }
    }
    return bytes.map { Address(link: header.ifa_index, bytes: Array($0)) }
  }
}

extension ArraySlice<UInt8> {
  /// The C structure that stands first, if all of it is there.
  fileprivate func first<Structure: BitwiseCopyable>(as type: Structure.Type) -> Structure? {
    withUnsafeBytes { $0.count < MemoryLayout<Structure>.size ? nil : $0.loadUnaligned(as: type) }
  }

  /// Takes `length` bytes, which stand on a multiple of four.
  ///
  /// - Returns: Those past the first `headerSize`; nil when there are not as many.
  fileprivate mutating func takeFirst(_ length: Int, past headerSize: Int) -> ArraySlice<UInt8>? {
    guard length >= headerSize, length <= count else { return nil }
    defer { self = dropFirst((length + 3) & ~3) }
    return prefix(length).dropFirst(headerSize)
  }
}
