import BunnyMedia
import BunnySystem

/// The pictures that a viewer has been shown of late, by content and in order.
struct ShownHistory {
  private struct Entry {
    let content: Int
    let isKeyframe: Bool
    let dts: Int64
  }

  /// Milliseconds of it that are kept.
  private static let span: Int64 = 30_000

  private var entries: [Entry] = []
  private var dropped = 0

  /// The place after the last picture.
  var end: Int { dropped + entries.count }

  mutating func add(_ tag: MediaTag) {
    entries.append(
      Entry(content: Self.content(of: tag), isKeyframe: tag.isKeyframe, dts: tag.dts))
    guard entries.count > 4096, entries[1024].dts < tag.dts - Self.span else { return }
    entries.removeFirst(1024)
    dropped += 1024
  }

  /// The place of the latest keyframe with the same content.
  func place(of keyframe: MediaTag) -> Int? {
    let content = Self.content(of: keyframe)
    return entries.lastIndex { $0.isKeyframe && $0.content == content }.map { $0 + dropped }
  }

  /// Whether the picture at `place` has the same content.
  func isSame(_ tag: MediaTag, at place: Int) -> Bool {
    let index = place - dropped
    return entries.indices.contains(index) && entries[index].content == Self.content(of: tag)
  }

  /// FLV's five bytes of header left out: a replayed picture may be shown at another time.
  private static func content(of tag: MediaTag) -> Int {
    var hasher = Hasher()
    tag.body.withUnsafeBytes {
      hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.dropFirst(5)))
    }
    return hasher.finalize()
  }
}
