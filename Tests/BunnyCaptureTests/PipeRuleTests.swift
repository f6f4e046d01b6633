import BunnyCapture
import BunnyMedia
import BunnySystem
import Testing

/// What is decided of a pipe without one.
@Suite struct PipeRuleTests {
  private func settings(
    _ format: FourCC? = nil, _ size: PictureSize? = nil, _ rate: Double? = nil
  ) -> CameraSettings {
    var settings = CameraSettings()
    (settings.format, settings.size, settings.framesPerSecond) = (format, size, rate)
    return settings
  }

  private let size = PictureSize(width: 640, height: 360)

  @Test func `a pipe is standard input or a FIFO`() throws {
    #expect(try VideoInput("pipe:") == .pipe(nil) && VideoInput("pipe:-") == .pipe(nil))
    #expect(try VideoInput("pipe:/run/a:b") == .pipe("/run/a:b"))
  }

  @Test func `H.264 says of itself what raw frames need to be told`() throws {
    #expect(try PipeForm(settings()) == .h264 && PipeForm(settings("H264")) == .h264)
    let limited = FrameColour(nil, isFullRange: false)
    #expect(
      try PipeForm(settings("NV12", size, 30))
        == .raw(FrameForm("nv12", width: 640, height: 360, limited)))
    var full = settings("UYVY", size, 30)
    full.range = .full
    #expect(
      try PipeForm(full)
        == .raw(
          FrameForm("uyvy422", width: 640, height: 360, FrameColour(nil, isFullRange: true))))
    #expect(
      try PipeForm(settings("MJPG", size, 30))
        == .jpeg(FrameForm(FrameForm.jpeg, width: 640, height: 360, .jpeg)))
  }

  @Test func `what contradicts itself, or is too little, is refused`() {
    func refusal(_ settings: CameraSettings) -> String? {
      do throws(PipeProblem) {
        _ = try PipeForm(settings)
        return nil
      } catch { return "\(error)" }
    }
    let tooLittle = "too: raw frames say neither their size nor their rate"
    #expect(refusal(settings("YU12", nil, 30)) == "of YU12 needs --camera-size \(tooLittle)")
    #expect(refusal(settings("YU12", size)) == "of YU12 needs --camera-fps \(tooLittle)")
    #expect(
      refusal(settings(nil, size)) == "is read as H.264, which says that itself; leave out "
        + "--camera-size, or give --camera-format for raw frames")
    #expect(
      refusal(settings("MJPG", size)) == "of MJPG needs --camera-fps too: JPEGs do not say their "
        + "rate, nor their size before they come")
    #expect(
      refusal(settings("HEVC", size, 30))
        == "cannot be HEVC; it takes H264, MJPG, YU12, NV12, YUYV, UYVY and the like")
    var controlled = settings()
    controlled.controls = [.init(name: "brightness", value: 1)]
    #expect(
      refusal(controlled)
        == "has no controls; leave out --control, or give it to the program that writes")
  }

  private let start = MonotonicTime(nanoseconds: 5_000_000_000)

  private func at(_ seconds: Double) -> MonotonicTime { start + .seconds(seconds) }

  @Test func `a writer has three seconds to come`() {
    let input = PipePatience(at: start, isFIFO: false)
    #expect(input.deadline == at(3) && input.problem(at: at(2.9)) == nil)
    #expect(input.problem(at: at(3)) == .silent(milliseconds: 3000))
    var patience = PipePatience(at: start, isFIFO: true)
    #expect(patience.deadline == at(0.5) && patience.problem(at: at(0.49)) == nil)
    #expect(patience.problem(at: at(0.5)) == .noWriter)
    patience.lost()
    #expect(patience.deadline == .distantFuture)
    patience.begin(at: at(10))  // said once
    #expect(patience.deadline == .distantFuture)
    patience.pictureCame(at: at(11))
    #expect(patience.deadline < at(20))
  }

  @Test func `one that stalls is lost after half a second, or three pictures`() {
    for (interval, limit) in [(0.033, 0.5), (0.1, 0.5), (0.5, 1.5)] {
      var patience = PipePatience(at: start, isFIFO: true)
      for number in 0...2 {
        patience.bytesCame(at: at(Double(number) * interval))
        patience.pictureCame(at: at(Double(number) * interval))
      }
      let end = 2 * interval + limit
      #expect(patience.problem(at: at(end - 0.001)) == nil)
      let silent = PipeProblem.silent(milliseconds: Int(limit * 1000))
      #expect(patience.problem(at: at(end + 0.0001)) == silent)
    }
  }

  @Test func `one whose bytes hold no picture is lost after five seconds`() {
    var patience = PipePatience(at: start, isFIFO: true)
    patience.bytesCame(at: at(0.1))
    patience.pictureCame(at: at(0.1))
    for tenth in 2...50 {
      patience.bytesCame(at: at(Double(tenth) / 10))
      #expect(patience.problem(at: at(Double(tenth) / 10)) == nil)
    }
    patience.bytesCame(at: at(5.1))
    #expect(
      patience.problem(at: at(5.1)) == .noPicture(milliseconds: 5000))
  }
}
