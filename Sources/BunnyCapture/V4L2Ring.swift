import BunnyMedia
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
    /// nil once stopped.
    var device: V4L2Device?
    var lent: Set<UInt32> = []
    /// Of the first buffer that the driver would not take back.
    var failure: CameraProblem?
  }

  /// One buffer. Its memory ends with an empty page: SIMD code reads past the last row. Only the
  /// driver writes to it, and not while it is ours.
  private struct Mapping: @unchecked Sendable {
    let bytes: UnsafeMutableRawPointer
    let length: Int
    let mapped: Int

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
    state = Mutex(State(device: device))
    var request = v4l2_requestbuffers()
    request.count = Self.wanted
    request.type = device.captureType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try device.call("REQBUFS", bunny_vidioc_reqbufs, &request)
    guard request.count > 0 else {
      throw .failed(call: "REQBUFS", reason: "it gives no buffers")
    }
    var mappings: [Mapping] = []
    do throws(CameraProblem) {
      for index in 0..<request.count { mappings.append(try Self.map(index, device)) }
    } catch {
      Self.unmap(mappings)
      throw error
    }
    self.mappings = mappings
  }

  deinit { Self.unmap(mappings) }

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
    return Mapping(bytes: bytes, length: length, mapped: size)
  }

  private static func unmap(_ mappings: [Mapping]) {
    for mapping in mappings { munmap(mapping.bytes, mapping.mapped) }
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
      defer { state.device = nil }
      return (state.device, state.lent)
    }
    guard let device else { return }
    var type = Int32(device.captureType)
    _ = device.ask(bunny_vidioc_streamoff, &type)
    for (index, mapping) in mappings.enumerated() {
      mapping.detach(keepingContent: lent.contains(UInt32(index)))
    }
    var request = v4l2_requestbuffers()
    request.type = device.captureType
    request.memory = V4L2_MEMORY_MMAP.rawValue
    _ = device.ask(bunny_vidioc_reqbufs, &request)
  }

  /// - Returns: the oldest filled buffer; nil when there is none.
  func take(from device: V4L2Device) throws(CameraProblem) -> V4L2Buffer? {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    let (code, buffer) = device.ask(bunny_vidioc_dqbuf, ofBuffer: 0)
    if code == EAGAIN { return nil }
    if code != 0 { throw V4L2Device.problem("DQBUF", code, device.path) }
    return buffer
  }

  /// Gives a buffer back to the driver. From any thread.
  func giveBack(_ index: UInt32) {
    state.withLock { state in
      state.lent.remove(index)
      guard let device = state.device else { return }
      let (code, _) = device.ask(bunny_vidioc_qbuf, ofBuffer: index)
      if code != 0 && state.failure == nil {
        state.failure = V4L2Device.problem("QBUF", code, device.path)
      }
    }
  }

  func bytes(of buffer: V4L2Buffer) -> UnsafeMutableRawBufferPointer {
    let mapping = mappings[Int(buffer.index)]
    let end = min(buffer.bytesUsed, mapping.length)
    let start = min(buffer.dataOffset, end)
    return UnsafeMutableRawBufferPointer(start: mapping.bytes + start, count: end - start)
  }

  /// A picture over a buffer's memory while the driver can spare it, else over a copy. The buffer goes
  /// back by itself.
  ///
  /// - Returns: nil when it holds less than a whole picture.
  func picture(
    _ buffer: V4L2Buffer,
    _ make: (_ isLent: Bool, _ release: @escaping @Sendable () -> Void) -> Picture?
  ) -> Picture? {
    let index = buffer.index
    let canSpare = state.withLock { state in
      guard state.lent.count < mappings.count - Self.keptByDriver else { return false }
      state.lent.insert(index)
      return true
    }
    guard canSpare else {
      defer { giveBack(index) }
      return make(false) {}
    }
    return make(true) { [self] in giveBack(index) }
  }
}
