import BunnyMedia
import BunnySystem
import CBunnyShims
import CBunnyV4L2
import Glibc
import Synchronization

/// A device's frame buffers, mapped into this process.
///
/// Pictures may be lent from them, and outlive the capture: once it is stopped, what is lent lies in
/// memory of our own, so that nobody who holds a picture keeps the device open.
final class V4L2Ring: Sendable {
  private struct State {
    /// nil once stopped; then there are no buffers either.
    var device: V4L2Device?
    var buffers: [LentBuffer] = []
    /// Which of them are out, and not with the driver.
    var lent: [Bool] = []
    /// Of the first buffer that the driver would not take back.
    var failure: CameraProblem?

    mutating func queue(_ index: Int) {
      lent[index] = false
      guard let device else { return }
      let (code, _) = device.ask(bunny_vidioc_qbuf, ofBuffer: UInt32(index))
      if code != 0 && failure == nil { failure = V4L2Device.problem("QBUF", code, device.path) }
    }

    /// Gives back what nobody holds any more.
    mutating func queueFree() {
      for index in buffers.indices where lent[index] && buffers[index].isFree { queue(index) }
    }
  }

  /// One buffer. Its memory ends with an empty page: SIMD code reads past the last row. Only the
  /// driver writes to it, and not while it is ours.
  private final class Mapping: @unchecked Sendable {
    let bytes: UnsafeMutableRawPointer
    let length: Int
    private let mapped: Int

    init(_ bytes: UnsafeMutableRawPointer, length: Int, mapped: Int) {
      (self.bytes, self.length, self.mapped) = (bytes, length, mapped)
    }

    deinit { munmap(bytes, mapped) }

    /// Puts memory of our own in the device's place.
    func detach(keepingContent: Bool) {
      let own = mmap(
        nil, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let own, own != MAP_FAILED else { return }  // then the device stays open for longer
      if keepingContent { own.copyMemory(from: bytes, byteCount: length) }
      if bunny_move_pages(own, bytes, mapped) != 0 { munmap(own, mapped) }
    }
  }

  private let mappings: [Mapping]
  private let state: Mutex<State>

  /// Two stay with the driver: one that it fills, one that it can go on with.
  private static let keptByDriver = 2
  private static let wanted: UInt32 = 6

  init(_ device: V4L2Device) throws(CameraProblem) {
    var request = v4l2_requestbuffers()
    request.count = Self.wanted
    request.type = device.captureType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try device.call("REQBUFS", bunny_vidioc_reqbufs, &request)
    guard request.count > 0 else {
      throw .failed(call: "REQBUFS", reason: "it gives no buffers")
    }
    var mappings: [Mapping] = []
    for index in 0..<request.count { mappings.append(try Self.map(index, device)) }
    self.mappings = mappings
    state = Mutex(
      State(
        device: device,
        buffers: mappings.map {
          LentBuffer(
            $0.bytes.assumingMemoryBound(to: UInt8.self), count: $0.length, owner: $0)
        }, lent: mappings.map { _ in false }))
  }

  private static func map(_ index: UInt32, _ device: V4L2Device) throws(CameraProblem) -> Mapping {
    let (code, buffer) = device.ask(bunny_vidioc_querybuf, ofBuffer: index)
    if code != 0 { throw V4L2Device.problem("QUERYBUF", code, device.path) }
    let page = Int(getpagesize())
    let length = buffer.length
    let size = (length + page - 1) / page * page + page
    let whole = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let whole, whole != MAP_FAILED else {
      throw .failed(call: "mmap", reason: V4L2Device.words(errno))
    }
    let bytes = mmap(
      whole, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, device.fileDescriptor,
      off_t(buffer.offset))
    guard let bytes, bytes != MAP_FAILED else {
      let code = errno
      munmap(whole, size)
      throw .failed(call: "mmap", reason: V4L2Device.words(code))
    }
    return Mapping(bytes, length: length, mapped: size)
  }

  /// Gives all buffers to the driver, which begins to fill them.
  func start(_ device: V4L2Device) throws(CameraProblem) {
    for index in 0..<UInt32(mappings.count) {
      let (code, _) = device.ask(bunny_vidioc_qbuf, ofBuffer: index)
      if code != 0 { throw V4L2Device.problem("QBUF", code, device.path) }
    }
    var type = Int32(device.captureType)
    let code = device.ask(bunny_vidioc_streamon, &type)
    // USB cameras say EIO where the port has no way at all that is fast enough.
    if code == ENOSPC || code == EIO { throw .noRoom(tried: "") }
    if code != 0 { throw V4L2Device.problem("STREAMON", code, device.path) }
  }

  /// Lets the device go; another program, or the next try, may have it.
  func stop() {
    let (device, lent) = state.withLock { state in
      state.queueFree()
      defer { (state.device, state.buffers) = (nil, []) }
      return (state.device, state.lent)
    }
    guard let device else { return }
    var type = Int32(device.captureType)
    _ = device.ask(bunny_vidioc_streamoff, &type)
    for (index, mapping) in mappings.enumerated() {
      mapping.detach(keepingContent: lent[index])
    }
    var request = v4l2_requestbuffers()
    request.type = device.captureType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    _ = device.ask(bunny_vidioc_reqbufs, &request)
  }

  /// - Returns: the oldest filled buffer; nil when there is none.
  func take(from device: V4L2Device) throws(CameraProblem) -> V4L2Buffer? {
    let failure = state.withLock { state in
      state.queueFree()
      return state.failure
    }
    if let failure { throw failure }
    let (code, buffer) = device.ask(bunny_vidioc_dqbuf, ofBuffer: 0)
    if code == EAGAIN { return nil }
    if code != 0 { throw V4L2Device.problem("DQBUF", code, device.path) }
    return buffer
  }

  /// Gives a buffer back to the driver.
  func giveBack(_ index: UInt32) { state.withLock { $0.queue(Int(index)) } }

  func bytes(of buffer: V4L2Buffer) -> UnsafeMutableRawBufferPointer {
    let mapping = mappings[Int(buffer.index)]
    let end = min(buffer.bytesUsed, mapping.length)
    let start = min(buffer.dataOffset, end)
    return UnsafeMutableRawBufferPointer(start: mapping.bytes + start, count: end - start)
  }

  /// A picture over a buffer's memory while the driver can spare it, else over a copy. The buffer goes
  /// back by itself: when the next one is taken, if nobody holds the picture by then.
  ///
  /// - Parameter count: bytes of it that are picture.
  /// - Returns: nil when it holds less than a whole picture.
  func picture(
    _ buffer: V4L2Buffer, count: Int, _ form: FrameForm, time: MonotonicTime
  ) -> Picture? {
    let (index, bytes) = (Int(buffer.index), bytes(of: buffer))
    return state.withLock { state in
      guard state.device != nil else { return nil }
      let canSpare = state.lent.count { $0 } < mappings.count - Self.keptByDriver
      let picture =
        canSpare
        ? state.buffers[index].lend(
          from: bytes.baseAddress! - mappings[index].bytes, count: count, form, time: time)
        : .copied(
          bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count, form, time: time)
      if canSpare && picture != nil { state.lent[index] = true } else { state.queue(index) }
      return picture
    }
  }
}
