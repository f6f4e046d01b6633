import BunnyCapture
import BunnyMedia
import BunnySystem
import CBunnyV4L2
import Glibc
import Support
import Testing

/// Shows pictures in the loopback camera, in real time, as a camera would: a frame is written when one
/// that began at its moment has been read out.
final class Projector: Sendable {
  /// A frame's bytes, given its moment and how many were before it.
  typealias Film = (_ time: MonotonicTime, _ number: Int) -> [UInt8]

  private struct State {
    /// When each that was written began.
    var shown: [MonotonicTime] = []
    var failure: Int32?
  }

  private let state = Watched(State())
  private let isOver = Flag()
  private let wake = WakeEvent()
  private let hasEnded = WakeEvent()

  /// When each frame that was shown began.
  var shown: [MonotonicTime] { state.current.shown }

  /// Waits until so many were.
  func shows(_ count: Int) async throws {
    try await state.reach("frame \(count)") { $0.shown.count >= count }
  }

  /// Returns when the loopback is a camera.
  ///
  /// - Parameter film: makes what its thread shows.
  init(
    _ format: FourCC = "MJPG", width: Int, height: Int, framesPerSecond: Int32,
    _ film: @escaping @Sendable () -> Film
  ) throws {
    let device = open(DeviceLab.loopbackCamera, O_RDWR | O_CLOEXEC)
    try #require(device >= 0)
    let rate = Timebase(framesPerSecond, 1)
    do { try Self.set(device, format, width, height, framesPerSecond) } catch {
      close(device)
      throw error
    }
    let hasBegun = WakeEvent()
    startThread("projector", turns: .short) { [self] in
      show(film(), on: device, SourceGrid(before: .now, rate: rate), hasBegun)
      close(device)
      hasEnded.signal()
    }
    try #require(hasBegun.wait(until: .now + .seconds(5)))
  }

  /// Returns when it has let go of the device.
  func end() {
    guard !isOver.isSet else { return }
    isOver.isSet = true
    wake.signal()
    hasEnded.wait(until: .distantFuture)
    #expect(state.current.failure == nil)
  }

  private func show(_ film: Film, on device: Int32, _ grid: SourceGrid, _ hasBegun: WakeEvent) {
    var last: Int64?
    while !isOver.isSet {
      let index = grid.next(after: last, now: .now)
      let time = grid.time(of: index)
      let frame = film(time, state.current.shown.count)
      wake.wait(until: grid.time(of: index + 1))
      guard !isOver.isSet else { return }
      let count = write(device, frame, frame.count)
      state.change { state in
        state.shown.append(time)
        if count != frame.count { state.failure = errno }
      }
      hasBegun.signal()
      last = index
    }
  }

  private static func set(
    _ device: Int32, _ fourCC: FourCC, _ width: Int, _ height: Int, _ framesPerSecond: Int32
  ) throws {
    var format = v4l2_format()
    format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
    format.fmt.pix.width = UInt32(width)
    format.fmt.pix.height = UInt32(height)
    format.fmt.pix.pixelformat = fourCC.code
    format.fmt.pix.sizeimage = UInt32(width * height * 2)
    format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
    try #require(bunny_v4l2(device, bunny_vidioc_s_fmt, &format) == 0)
    try #require(format.fmt.pix.pixelformat == fourCC.code)
    var parameters = v4l2_streamparm()
    parameters.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
    parameters.parm.output.timeperframe = v4l2_fract(
      numerator: 1, denominator: UInt32(framesPerSecond))
    try #require(bunny_v4l2(device, bunny_vidioc_s_parm, &parameters) == 0)
  }
}

extension Projector {
  /// Shows the test picture as Motion-JPEG, its flash in step with ``LoopbackSpeaker``.
  ///
  /// - Parameter spoil: what becomes of a frame, given how many were before it.
  convenience init(
    testPictureOf width: Int, _ height: Int, framesPerSecond: Int32,
    spoil: @escaping @Sendable (Int, [UInt8]) -> [UInt8] = { $1 }
  ) throws {
    try self.init(width: width, height: height, framesPerSecond: framesPerSecond) {
      let grid = SourceGrid(before: .now, rate: Timebase(framesPerSecond, 1))
      let pattern = TestPattern(width: width, height: height, grid: grid)
      let pool = PicturePool(width: width, height: height)
      let maker = JPEGMaker()
      return { time, number in
        let made = UnixTime.milliseconds(at: time)
        let mark = FrameMark(number: UInt32(number), milliseconds: made)
        let picture = pool.picture(time: time) { y, u, v in
          pattern.draw(grid.nearest(to: time), mark: mark, y: y, u: u, v: v)
        }
        return spoil(number, maker.jpeg(picture))
      }
    }
  }
}
