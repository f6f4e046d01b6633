import BunnySystem
import CBunnyShims
import Glibc
import Testing

/// Netlink messages, as the kernel writes them.
private enum Message {
  static func link(
    _ index: Int32, isRunning: Bool, isLoopback: Bool = false, family: Int32 = AF_UNSPEC,
    isGone: Bool = false
  ) -> [UInt8] {
    var body = ifinfomsg()
    body.ifi_family = UInt8(family)
    body.ifi_index = index
    body.ifi_flags = UInt32(IFF_UP | (isRunning ? IFF_RUNNING : 0))
    if isLoopback { body.ifi_flags |= UInt32(IFF_LOOPBACK) }
    return whole(isGone ? RTM_DELLINK : RTM_NEWLINK, bytes(body))
  }

  static func address(
    _ figures: [UInt8], on link: UInt32, flags: Int32 = 0, scope: UInt32 = 0, isGone: Bool = false
  ) -> [UInt8] {
    var body = ifaddrmsg()
    body.ifa_index = link
    body.ifa_flags = UInt8(flags)
    body.ifa_scope = UInt8(scope)
    let label = attribute(IFA_LABEL, Array("eth0\0".utf8))  // five bytes: the next one is aligned
    let attributes = label + attribute(IFA_ADDRESS, figures)
    return whole(isGone ? RTM_DELADDR : RTM_NEWADDR, bytes(body) + attributes)
  }

  static let end = whole(Int(NLMSG_DONE), [0, 0, 0, 0])

  private static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
    let header = rtattr(rta_len: UInt16(4 + value.count), rta_type: UInt16(type))
    return bytes(header) + padded(value)
  }

  private static func whole(_ type: Int, _ body: [UInt8]) -> [UInt8] {
    var header = nlmsghdr()
    header.nlmsg_len = UInt32(16 + body.count)
    header.nlmsg_type = UInt16(type)
    return bytes(header) + padded(body)
  }

  private static func padded(_ value: [UInt8]) -> [UInt8] {
    value + [UInt8](repeating: 0, count: -value.count & 3)
  }

  private static func bytes(_ structure: some BitwiseCopyable) -> [UInt8] {
    withUnsafeBytes(of: structure) { Array($0) }
  }
}

/// A state that is told one datagram after another.
private final class Links {
  private var state = LinkState()

  func hasComeUp(_ datagram: [UInt8]) -> Bool { state.apply(datagram[...]).hasComeUp }
}

@Suite struct LinkStateTests {
  @Test func `a link comes up once, and again after it was down or gone`() {
    let state = Links()
    #expect(!state.hasComeUp(Message.link(2, isRunning: false)))
    #expect(state.hasComeUp(Message.link(2, isRunning: true)))
    #expect(!state.hasComeUp(Message.link(2, isRunning: true)))
    #expect(state.hasComeUp(Message.link(3, isRunning: true)))
    #expect(!state.hasComeUp(Message.link(2, isRunning: false)))
    #expect(state.hasComeUp(Message.link(2, isRunning: true)))
    #expect(!state.hasComeUp(Message.link(2, isRunning: false, isGone: true)))
    #expect(state.hasComeUp(Message.link(2, isRunning: true)))
  }

  @Test func `a port that leaves a bridge is still a link, and loopback is none`() {
    let state = Links()
    #expect(state.hasComeUp(Message.link(2, isRunning: true)))
    #expect(!state.hasComeUp(Message.link(2, isRunning: true, family: AF_BRIDGE, isGone: true)))
    #expect(!state.hasComeUp(Message.link(2, isRunning: true)))
    #expect(!state.hasComeUp(Message.link(1, isRunning: true, isLoopback: true)))
  }

  @Test func `an address comes up on a link that is, renewed it is no news`() {
    let state = Links()
    let address = Message.address([10, 0, 0, 1], on: 2)
    #expect(!state.hasComeUp(address))
    #expect(state.hasComeUp(Message.link(2, isRunning: true)))
    #expect(!state.hasComeUp(address))
    #expect(state.hasComeUp(Message.address([10, 0, 0, 2], on: 2)))
    #expect(!state.hasComeUp(Message.address([10, 0, 0, 1], on: 2, isGone: true)))
    #expect(state.hasComeUp(address))
  }

  @Test func `an address is there when it may be used, and reaches beyond its link`() {
    let state = Links()
    _ = state.hasComeUp(Message.link(2, isRunning: true))
    let figures: [UInt8] = [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 7, count: 12)
    #expect(!state.hasComeUp(Message.address(figures, on: 2, flags: IFA_F_TENTATIVE)))
    #expect(!state.hasComeUp(Message.address(figures, on: 2, flags: IFA_F_DADFAILED)))
    #expect(!state.hasComeUp(Message.address(figures, on: 2, scope: RT_SCOPE_LINK.rawValue)))
    #expect(state.hasComeUp(Message.address(figures, on: 2)))
  }

  @Test func `several messages in one datagram are all read, to the end of an answer`() {
    var state = LinkState()
    let news = state.apply(
      (Message.link(1, isRunning: true, isLoopback: true) + Message.link(2, isRunning: true)
        + Message.link(3, isRunning: false) + Message.end)[...])
    #expect(news.hasComeUp && news.isEnd)
  }

  @Test func `bytes cut anywhere, and lengths that lie, are passed over`() {
    let whole = Message.link(2, isRunning: true) + Message.address([10, 0, 0, 1], on: 2)
    for count in 0..<whole.count {
      var state = LinkState()
      _ = state.apply(whole[..<count])
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        var broken = whole
        broken[count] = value
        _ = state.apply(broken[...])
      }
    }
  }
}
