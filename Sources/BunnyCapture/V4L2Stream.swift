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
  private var coded: CodedInput?
  private var captured: [Captured] = []  // kept for its memory
  private var saidWhyNot = false
  private lazy var extensionUnit = H264ExtensionUnit.id(of: node.path)
  private var clock: CameraClock
  private var sequence = FrameSequence()
  private var lastArrival: MonotonicTime?
  /// What a frame lasts as agreed, nanoseconds.
  private let agreedFrame: Int64
  /// What the last ones lasted: a camera may give fewer in the dark.
  private var frame: Int64

  /// A camera takes its time to wake up.
  private static let firstLimit: Int64 = .seconds(5)

  /// Starts the camera in the best mode that its bus has room for.
  ///
  /// - Parameters:
  ///   - isAgain: it was open before: a control that it refuses by now is no reason to do without it.
  ///   - takesLess: also in a mode that needs less of the bus than the best one.
  init(
    _ node: VideoNode, _ negotiation: CameraNegotiation, _ settings: CameraSettings,
    _ wanted: WantedPicture, isAgain: Bool, takesLess: Bool, _ context: SourceContext
  ) throws(CameraProblem) {
    self.node = node
    self.context = context
    device = try V4L2Device(node.path)
    do throws(CameraProblem) {
      for failure in try device.set(settings.controls) {
        context.notice("\(node.path) \(failure)")
      }
    } catch {
      guard isAgain && error.isUsage else { throw error }
      context.notice("\(node.path) \(error)")
    }
    var mode = negotiation.modes[0]
    while true {
      do throws(CameraProblem) {
        (form, frame, ring) = try Self.start(
          device, mode, settings, bitrate: wanted.bitrate)
        break
      } catch {
        let next = negotiation.next(after: mode, refusedFor: error)
        if case .noRoom = error, next == nil || !takesLess { throw .noRoom(tried: "\(mode)") }
        guard let next else { throw error }
        context.notice("\(node.path) \(error.words(of: mode)); \(next) is tried")
        mode = next
      }
    }
    (self.mode, agreedFrame) = (mode, frame)
    if form.width != mode.size.width || form.height != mode.size.height {
      context.notice(
        "\(node.path) was asked for \(mode.size) and delivers \(form.width)x\(form.height)")
    }
    clock = CameraClock(frame: agreedFrame)
    guard mode.format == "H264" else { return }
    do {
      // What comes to nothing is counted where buffers are taken.
      coded = try CodedInput(passthrough: settings.passthrough, onError: {})
    } catch {
      throw .failed(call: error.call, reason: error.reason)
    }
  }

  private static func start(
    _ device: V4L2Device, _ mode: CameraMode, _ settings: CameraSettings, bitrate: Int
  ) throws(CameraProblem) -> (FrameForm, frame: Int64, V4L2Ring) {
    let (form, frame) = try device.set(mode, settings.range)
    if mode.format == "H264" { device.setCoder(bitrate: bitrate, mode.rate) }
    let ring = try V4L2Ring(device)
    do throws(CameraProblem) {
      try ring.start(device)
    } catch {
      ring.stop()
      throw error
    }
    return (form, frame, ring)
  }

  func stop() { ring.stop() }

  /// Of the camera's own encoder. What it refuses is said once.
  func askForKeyframe() {
    guard coded != nil, let why = device.askForKeyframe(extensionUnit),
      !saidWhyNot
    else { return }
    saidWhyNot = true
    context.notice(
      "\(node.path) was asked for a keyframe and refused: \(why); its own are waited for")
  }

  /// Waits for the next picture that is whole.
  ///
  /// - Parameter wake: makes it return nil.
  func next(_ wake: WakeEvent) throws(CameraProblem) -> Captured? {
    let limit = lastArrival == nil ? Self.firstLimit : Lateness.limit(interval: frame)
    // A reader that was held up finds what came meanwhile, and is not the camera's fault.
    var deadline = max((lastArrival ?? .now) + limit, .now + .milliseconds(50))
    var broken = 0
    while true {
      let isLate = MonotonicTime.now >= deadline
      if let buffer = try ring.take(from: device) {
        let now = MonotonicTime.now
        if let picture = picture(buffer, now) {
          noteArrival(now)
          return picture
        }
        context.decodeError()
        broken += 1
        if coded != nil {  // goes on with its next keyframe
          lastArrival = now
          deadline = now + Lateness.limit(interval: frame)
          continue
        }
        if !isLate { continue }
      }
      if isLate {
        let milliseconds = Int(limit / .milliseconds(1))
        throw broken > 0
          ? .broken(milliseconds: milliseconds) : .silent(milliseconds: milliseconds)
      }
      guard try wait(for: wake, until: deadline) else { return nil }
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
  private func picture(_ buffer: V4L2Buffer, _ now: MonotonicTime) -> Captured? {
    let missed = sequence.missing(before: buffer.sequence)
    if missed > 0 {
      context.missedFrames(missed)
      coded?.miss()
    }
    let time = time(of: buffer, now)
    let bytes = ring.bytes(of: buffer)
    let isBroken = buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0
    guard !isBroken, let count = length(UnsafeRawBufferPointer(bytes)) else {
      ring.giveBack(buffer.index)
      coded?.miss()
      return nil
    }
    if coded != nil {
      defer {
        ring.giveBack(buffer.index)
        captured.removeAll(keepingCapacity: true)
      }
      coded?.take(
        UnsafeRawBufferPointer(bytes).bindMemory(to: UInt8.self), at: time, into: &captured)
      return captured.last
    }
    return ring.picture(buffer, count: count, form, time: time).map { .picture($0) }
  }

  /// How many of a frame's bytes are picture; nil where it can be seen without decoding that it is none.
  private func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
    if form.isJPEG { return try? JPEGScan.length(bytes) }
    return bytes.isEmpty ? nil : bytes.count
  }

  private func time(of buffer: V4L2Buffer, _ now: MonotonicTime) -> MonotonicTime {
    let isOfStart = buffer.flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE) != 0
    let believed = clock.lie == nil
    let time = clock.time(
      .init(
        seconds: buffer.timestamp.tv_sec, microseconds: buffer.timestamp.tv_usec,
        isOfEnd: !isOfStart), arrival: now,
      wallClock: Int64(UnixTime.milliseconds(at: now)) * 1_000_000)
    if believed, let lie = clock.lie {
      context.notice(
        "\(node.path): its times \(lie.rawValue); its frames are stamped when they arrive")
    }
    return time
  }
}
