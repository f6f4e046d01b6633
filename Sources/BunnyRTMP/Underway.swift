/// Tags that the kernel has taken, and where each ends.
struct Underway {
  private var tags: [(end: Int64, serial: Int64)] = []
  private var head = 0

  mutating func add(_ serial: Int64, endingAt end: Int64) { tags.append((end, serial)) }

  /// The next one that ends by `total`, once.
  mutating func next(upTo total: Int64) -> Int64? {
    guard head < tags.count, tags[head].end <= total else { return nil }
    head += 1
    defer {
      if head > 256 {
        tags.removeFirst(head)
        head = 0
      }
    }
    return tags[head - 1].serial
  }
}
