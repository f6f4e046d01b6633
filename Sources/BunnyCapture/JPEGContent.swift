import BunnyMedia
import BunnySystem

/// One JPEG after the other. What lies between them is skipped, and counted unless it is padding.
final class JPEGContent: PipeContent {
  private let form: FrameForm
  private let onError: @Sendable () -> Void
  private var memory: PipeMemory
  /// No JPEG is larger than the picture that it holds.
  private let mostBytes: Int
  /// So many bytes are known to hold no end.
  private var searched = 0
  let pause: MonotonicTime? = nil

  /// What is read at a time: what is read of the next picture has to be moved.
  private static let mostRead = 1 << 18

  init(_ form: FrameForm, onError: @escaping @Sendable () -> Void) {
    (self.form, self.onError) = (form, onError)
    mostBytes = 4 * form.width * form.height
    memory = PipeMemory(capacity: mostBytes)
  }

  func take(at now: MonotonicTime, _ read: PipeRead) -> Int {
    memory.fill(atMost: Self.mostRead, at: now, read)
  }

  func next() -> Captured? {
    while seekStart() {
      do {
        guard let end = try firstEnd() else {
          searched = memory.count
          break
        }
        searched = 0
        if let picture = memory.lend(end, form) { return .picture(picture) }
        onError()
      } catch { drop(2) }
    }
    if memory.count == mostBytes { drop(mostBytes) }
    return nil
  }

  private func firstEnd() throws(JPEGScan.Fault) -> Int? {
    try JPEGScan.firstEnd(memory.bytes, searched: searched)
  }

  /// - Returns: whether what was read begins with a start marker now.
  private func seekStart() -> Bool {
    let bytes = memory.bytes
    let start = bytes.indices.first {
      bytes[$0] == 0xFF && ($0 + 1 == bytes.count || bytes[$0 + 1] == 0xD8)
    }
    let skipped = bytes[..<(start ?? bytes.count)]
    if skipped.contains(where: { $0 != 0 }) { onError() }
    if !skipped.isEmpty { searched = 0 }
    memory.drop(skipped.count)
    return memory.count >= 2
  }

  private func drop(_ count: Int) {
    onError()
    memory.drop(count)
    searched = 0
  }

  func paused() {}

  func end() {
    if memory.count > 0 { drop(memory.count) }
  }
}
