import BunnyMedia
import BunnySystem
import CBunnyV4L2
import Glibc

/// A camera that is delivering. Belongs to one thread; the pictures do not.
final class V4L2Stream {
  let node: VideoNode
  let mode: CameraMode
  private let device: V4L2Device
  private let ring: V4L2Ring
  private let form: FrameForm
  private let context: SourceContext
  private let jpeg: JPEGDecoder?
  private var coded: CodedInput?
  private var clock: CameraClock
  private var sequence = FrameSequence()
  private var lastArrival: MonotonicTime?
  /// What a frame lasts as agreed, nanoseconds.
  private let agreedFrame: Int64
  /// What the last ones lasted: a camera may give fewer in the dark.
  private var frame: Int64

  /// A camera takes its time to wake up.
  private static let firstLimit: Int64 = .seconds(5)
  private static let leastLimit: Int64 = .milliseconds(500)

  /// Starts the camera in the best mode that its bus has room for.
  ///
  /// - Parameter isAgain: it was open before: a control that it refuses by now is no reason to do
  ///   without it.
  init(
    _ node: VideoNode, _ negotiation: CameraNegotiation, _ settings: CameraSettings,
    _ wanted: WantedPicture, isAgain: Bool, _ context: SourceContext
  ) throws(CameraProblem) {
    self.node = node
    self.context = context
    device = try V4L2Device(node.path)
    do throws(CameraProblem) {
      try device.set(settings.controls)
    } catch {
      guard isAgain && error.isUsage else { throw error }
      context.notice("\(node.path) \(error)")
    }
    var mode = negotiation.modes[0]
    while true {
      let (form, frame) = try device.set(mode, settings.range)
      if mode.format == "H264" { device.setCoder(bitrate: wanted.bitrate, mode.rate) }
      let ring = try V4L2Ring(device)
      do throws(CameraProblem) {
        try ring.start(device)
        (self.form, self.ring, self.mode) = (form, ring, mode)
        (self.frame, agreedFrame) = (frame, frame)
        break
      } catch {
        ring.stop()
        guard case .noRoom = error else { throw error }
        guard let lower = negotiation.lower(than: mode) else { throw .noRoom(tried: "\(mode)") }
        context.notice("\(node.path): its USB bus has no room for \(mode); \(lower) is tried")
        mode = lower
      }
    }
    frame = agreedFrame
    clock = CameraClock(frame: agreedFrame)
    jpeg = mode.format.isJPEG ? JPEGDecoder() : nil
    guard mode.format == "H264" else { return }
    do {
      // What comes to nothing is counted where buffers are taken.
      coded = try CodedInput(passthrough: settings.passthrough, onError: {})
    } catch {
      throw .failed(call: error.call, reason: error.reason)
    }
  }

  func stop() { ring.stop() }

  /// Waits for the next picture that is whole.
  ///
  /// - Parameter wake: makes it return nil.
  func next(_ wake: WakeEvent) throws(CameraProblem) -> Captured? {
    let limit = lastArrival == nil ? Self.firstLimit : max(Self.leastLimit, 3 * frame)
    var deadline = (lastArrival ?? .now) + limit
    // A reader that was held up finds what came meanwhile, and is not the camera's fault.
    deadline = max(deadline, .now + .milliseconds(50))
    while true {
      if let buffer = try ring.take(from: device) {
        let now = MonotonicTime.now
        if let picture = picture(buffer, now) {
          noteArrival(now)
          return picture
        }
        context.decodeError()
        // It delivers, though nothing whole.
        lastArrival = now
        deadline = now + max(Self.leastLimit, 3 * frame)
        continue
      }
      guard try wait(for: wake, until: deadline) else { return nil }
      if MonotonicTime.now >= deadline { throw .silent(milliseconds: Int(limit / 1_000_000)) }
    }
  }

  private func noteArrival(_ now: MonotonicTime) {
    if let lastArrival { frame = max(agreedFrame, frame + (now - lastArrival - frame) / 4) }
    lastArrival = now
  }

  /// - Returns: false when woken to give up.
  private func wait(
    for wake: WakeEvent, until deadline: MonotonicTime
  ) throws(CameraProblem) -> Bool {
    var waits = [
      pollfd(fd: device.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.fileDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = max(0, (deadline - .now + 999_999) / 1_000_000)
    _ = poll(&waits, 2, Int32(milliseconds))
    if waits[1].revents != 0 { return false }
    let isBroken = Int32(waits[0].revents) & (POLLERR | POLLHUP) != 0
    guard isBroken, Int32(waits[0].revents) & POLLIN == 0 else { return true }
    // The next call says why; where it does not, it would be asked for ever.
    var facts = v4l2_capability()
    try device.call("QUERYCAP", bunny_vidioc_querycap, &facts)
    throw .failed(call: "poll", reason: "its driver has given up")
  }

  /// - Returns: nil when it is not whole. The buffer goes back in every case.
  private func picture(_ buffer: v4l2_buffer, _ now: MonotonicTime) -> Captured? {
    let missed = sequence.missing(before: buffer.sequence)
    if missed > 0 {
      context.missedFrames(missed)
      coded?.miss()
    }
    let time = time(of: buffer, now)
    let bytes = ring.bytes(of: buffer)
    let isBroken = buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0
    guard !isBroken, let start = bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count > 0
    else {
      ring.giveBack(buffer.index)
      coded?.miss()
      return nil
    }
    if coded != nil {
      defer { ring.giveBack(buffer.index) }
      return coded?.take(Array(bytes), at: time).last
    }
    if let jpeg {
      defer { ring.giveBack(buffer.index) }
      let picture = try? jpeg.decode(
        UnsafeRawBufferPointer(bytes), time: time, colour: form.colour)
      return picture.map { .picture($0) }
    }
    let picture = ring.picture(buffer) { isLent, release in
      isLent
        ? .lent(start, count: bytes.count, form, time: time, release: release)
        : .copied(start, count: bytes.count, form, time: time)
    }
    return picture.map { .picture($0) }
  }

  private func time(of buffer: v4l2_buffer, _ now: MonotonicTime) -> MonotonicTime {
    let stamp = Int64(buffer.timestamp.tv_sec) * oneSecond + Int64(buffer.timestamp.tv_usec) * 1000
    let isOfStart = buffer.flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE) != 0
    let believed = clock.lie == nil
    let time = clock.time(
      .init(nanoseconds: stamp, isOfEnd: !isOfStart), arrival: now,
      wallClock: Int64(UnixTime.milliseconds(at: now)) * 1_000_000)
    if believed, let lie = clock.lie {
      context.notice(
        "\(node.path): its times \(lie.rawValue); its frames are stamped when they arrive")
    }
    return time
  }
}
