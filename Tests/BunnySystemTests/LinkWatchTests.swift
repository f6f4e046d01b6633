import BunnySystem
import Foundation
import Support
import Testing

/// A network with one device whose cable can be pulled, and somebody who watches it.
private struct WatchedNetwork {
  let line: Line
  let watch: LinkWatch

  init() async throws {
    line = try await Line()
    watch = try await line.inNear { LinkWatch() }
  }

  func ip(_ arguments: String) async throws {
    let shell = try line.near.entered { try ChildProcess("/bin/sh", ["-c", "ip \(arguments)"]) }
    let outcome = try await shell.outcome()
    #expect(outcome.exitStatus == 0, "\(outcome)")
  }

  /// Asks as often as there is news, until something has come up.
  func waitUntilUp() async throws {
    let watch = watch
    try await onThread("waits") {
      let end = MonotonicTime.now + .seconds(30)
      while !watch.hasComeUp() {
        guard Self.isReadable(watch, until: end) else {
          throw WaitedInVain(what: "a link to come up", seconds: 30)
        }
      }
    }
  }

  /// Waits for news.
  func waitUntilReadable() async throws {
    let watch = watch
    let isReadable = try await onThread("waits") {
      Self.isReadable(watch, until: .now + .seconds(30))
    }
    #expect(isReadable)
  }

  private static func isReadable(_ watch: LinkWatch, until end: MonotonicTime) -> Bool {
    var poll = pollfd(fd: watch.fileDescriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = max(0, (end - .now) / 1_000_000)
    return Foundation.poll(&poll, 1, Int32(milliseconds)) > 0
  }
}

@Suite(.serialized, .enabled(if: Line.isAvailable, "\(Line.need)"))
struct LinkWatchTests {
  @Test func `a cable that is plugged in is noticed, one that is pulled is not`() async throws {
    let network = try await WatchedNetwork()
    #expect(!network.watch.hasComeUp())  // it was there before
    for _ in 0..<3 {
      try network.line.setCable(isPlugged: false)
      try await network.waitUntilReadable()
      #expect(!network.watch.hasComeUp())
      try network.line.setCable(isPlugged: true)
      try await network.waitUntilUp()
      #expect(!network.watch.hasComeUp())  // once
    }
  }

  @Test func `an address that comes is noticed, one that goes or is renewed is not`() async throws {
    let network = try await WatchedNetwork()
    for _ in 0..<2 {
      try await network.ip("address add 10.88.0.1/24 dev line")
      try await network.waitUntilUp()
      try await network.ip("address change 10.88.0.1/24 dev line valid_lft 900 preferred_lft 900")
      try await network.waitUntilReadable()
      #expect(!network.watch.hasComeUp())
      try await network.ip("address delete 10.88.0.1/24 dev line")
      try await network.waitUntilReadable()
      #expect(!network.watch.hasComeUp())
    }
  }

  @Test func `more news than the kernel keeps for us counts as good news`() async throws {
    let network = try await WatchedNetwork()
    // Each is some messages of more than a kilobyte; the socket holds 200 KB.
    try await network.ip(
      "link set line down; for i in $(seq 400); do echo link set line mtu $((1000 + i)); done"
        + " | ip -batch -; ip link set line up")
    try await network.waitUntilUp()
    #expect(!network.watch.hasComeUp())
  }

  @Test func `a watch that runs calls for each, and stops when told`() async throws {
    let network = try await WatchedNetwork()
    let (stop, ups, watch) = (WakeEvent(), Watched(0), network.watch)
    async let end: Void = onThread("links") {
      watch.run(until: stop) { ups.change { $0 += 1 } }
    }
    for count in 1...2 {
      try await network.ip("address add 10.88.0.\(count)/24 dev line")
      try await ups.reach("a call") { $0 == count }
    }
    stop.signal()
    try await end
  }

  @Test func `other networks are not watched`() async throws {
    let (network, other) = (try await WatchedNetwork(), try await WatchedNetwork())
    try await other.ip("address add 10.88.0.1/24 dev line")
    try await other.waitUntilUp()
    #expect(!network.watch.hasComeUp())
  }
}

@Suite struct LinkWatchAnywhereTests {
  @Test func `watching this machine's links needs no privilege and brings no old news`() {
    _ = LinkWatch().hasComeUp()
    #expect(LinkWatch().fileDescriptor >= 0)
  }
}
