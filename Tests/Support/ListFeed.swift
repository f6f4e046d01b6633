public import BunnyRTMP
public import BunnySystem
import Synchronization

/// A feed of tags that are known beforehand: as fast as they go, once or for ever.
public final class ListFeed: RTMPFeed {
  public enum End: Sendable {
    /// Finished after the last tag.
    case finish
    /// Idle after the last tag, until ``finish()``.
    case stay
    /// From the first media tag again and again, timestamps running on.
    case repeatForEver
  }

  private struct State {
    var position = 0
    var isFinished = false
    var round: Int64 = 0
  }

  public let wake = WakeEvent()
  /// Every tag the kernel took whole, and when.
  public let taken = Watched<[(tag: RTMPTag, at: MonotonicTime)]>([])
  private let openingTags: [RTMPTag]
  private let media: [RTMPTag]
  private let end: End
  private let state = Mutex(State())

  /// - Parameter tags: Data tags and sequence headers open the stream; the others follow.
  public init(_ tags: [RTMPTag], end: End = .finish) {
    openingTags = tags.filter { $0.kind == .data || $0.isSequenceHeader }.map(Self.published)
    media = tags.filter { $0.kind != .data && !$0.isSequenceHeader }
    self.end = end
  }

  /// Nothing more comes.
  public func finish() {
    state.withLock { $0.isFinished = true }
    wake.signal()
  }

  public func opening() -> [RTMPTag] { openingTags }

  /// A data tag as it is published; a file holds it without the order to set it.
  private static func published(_ tag: RTMPTag) -> RTMPTag {
    let order = AMF0Value.encode(["@setDataFrame"])
    guard tag.kind == .data, !tag.body.starts(with: order) else { return tag }
    var tag = tag
    tag.body = SharedBytes(order + tag.body)
    return tag
  }

  public func next() -> RTMPTag? {
    state.withLock { state in
      guard !state.isFinished, !media.isEmpty else { return nil }
      if state.position == media.count {
        guard end == .repeatForEver else { return nil }
        state.position = 0
        state.round += 1
      }
      var tag = media[state.position]
      tag.timestamp += state.round * (media[media.count - 1].timestamp + 33)
      state.position += 1
      return tag
    }
  }

  public var isFinished: Bool {
    state.withLock { $0.isFinished || (end == .finish && $0.position == media.count) }
  }

  public func sent(_ tag: RTMPTag, at time: MonotonicTime) {
    taken.change { $0.append((tag, time)) }
  }
}
