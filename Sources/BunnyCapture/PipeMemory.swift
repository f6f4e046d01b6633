import BunnyMedia
import BunnySystem

/// Where a pipe of frames is read to, and what the frames are lent from: what is read lies where it stays,
/// but for the beginning of the next frame, if that was read along. Belongs to one thread.
struct PipeMemory {
  private let capacity: Int
  /// The first one is being filled.
  private var buffers: [LentBuffer] = []
  /// Of it: what was read, and is not lent or dropped.
  private var start = 0
  private var end = 0
  /// When the first of these bytes came, and the last.
  private var began = MonotonicTime(nanoseconds: 0)
  private var newest = MonotonicTime(nanoseconds: 0)

  /// More that nobody holds are freed.
  private static let mostSpare = 3

  /// - Parameter capacity: bytes of the largest frame.
  init(capacity: Int) { self.capacity = capacity }

  var count: Int { end - start }

  /// - Parameters:
  ///   - most: how many bytes.
  ///   - read: fills what it can of the memory that it is given, and returns how many bytes.
  mutating func fill(atMost most: Int, at now: MonotonicTime, _ read: PipeRead) -> Int {
    if buffers.isEmpty { buffers.append(LentBuffer(capacity: capacity)) }
    let bytes = buffers[0].bytes
    if start > 0, end == capacity {
      bytes.update(from: bytes + start, count: count)
      (start, end) = (0, count)
    }
    let read = read(
      UnsafeMutableRawBufferPointer(start: bytes + end, count: min(most, capacity - end)))
    if count == 0 { began = now }
    newest = now
    end += read
    return read
  }

  /// What was read, and is not lent or dropped, until that changes.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: buffers.first.map { $0.bytes + start }, count: count)
  }

  mutating func drop(_ count: Int) {
    start += count
    if start == end { (start, end) = (0, 0) }
  }

  /// The first bytes, as a picture that was captured when the first of them came.
  ///
  /// - Returns: nil when they are too few for the form.
  mutating func lend(_ count: Int, _ form: FrameForm) -> Picture? {
    let rest = self.count - count
    let picture = buffers[0].lend(from: start, count: count, form, time: began)
    began = newest
    if picture != nil { turnOver(keeping: rest) } else { drop(count) }
    return picture
  }

  /// Goes on in a buffer that nobody holds, with the last bytes of this one.
  private mutating func turnOver(keeping rest: Int) {
    let source = buffers[0].bytes + (end - rest)
    var free: Int?
    var spare = 0
    for index in buffers.indices.reversed() where index > 0 && buffers[index].isFree {
      (free, spare) = (index, spare + 1)
    }
    if spare > Self.mostSpare, let last = free {
      buffers.remove(at: last)
      free = buffers.indices.first { $0 > 0 && buffers[$0].isFree }
    }
    if let free {
      buffers.swapAt(0, free)
    } else {
      buffers.insert(LentBuffer(capacity: capacity), at: 0)
    }
    buffers[0].bytes.update(from: source, count: rest)
    (start, end) = (0, rest)
  }
}
