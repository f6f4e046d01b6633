import BunnyMedia
import BunnySystem

/// One JPEG after the other. What lies between them is skipped, and counted unless it is padding.
struct JPEGContent: PipeContent {
  private let form: FrameForm
  /// No JPEG is larger than the picture that it holds.
  private let mostBytes: Int
  private let onError: @Sendable () -> Void
  private var pending: [UInt8] = []
  private var began = MonotonicTime(nanoseconds: 0)
  let pause: MonotonicTime? = nil

  init(_ form: FrameForm, onError: @escaping @Sendable () -> Void) {
    (self.form, self.onError) = (form, onError)
    mostBytes = 4 * form.width * form.height
  }

  mutating func take(_ bytes: ArraySlice<UInt8>, at now: MonotonicTime) -> [Captured] {
    if pending.isEmpty { began = now }
    pending += bytes
    var pictures: [Captured] = []
    while let picture = cut() {
      pictures.append(.picture(picture))
      began = now
    }
    if pending.count > mostBytes { drop(pending.count) }
    return pictures
  }

  private mutating func cut() -> Picture? {
    while seekStart() {
      do {
        guard let end = try pending.withUnsafeBytes(JPEGScan.firstEnd) else { return nil }
        defer { pending.removeFirst(end) }
        let (form, time) = (form, began)
        return pending.withUnsafeMutableBufferPointer {
          Picture.copied($0.baseAddress!, count: end, form, time: time)
        }
      } catch { drop(2) }
    }
    return nil
  }

  /// - Returns: whether `pending` begins with a start marker now.
  private mutating func seekStart() -> Bool {
    let start = pending.indices.first {
      pending[$0] == 0xFF && ($0 + 1 == pending.count || pending[$0 + 1] == 0xD8)
    }
    let skipped = pending[..<(start ?? pending.count)]
    if skipped.contains(where: { $0 != 0 }) { onError() }
    pending.removeFirst(skipped.count)
    return pending.count >= 2
  }

  private mutating func drop(_ count: Int) {
    onError()
    pending.removeFirst(count)
  }

  func paused() -> [Captured] { [] }

  mutating func end() -> [Captured] {
    if !pending.isEmpty { onError() }
    pending = []
    return []
  }
}
