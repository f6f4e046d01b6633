import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Synchronization
import Testing

extension DeviceTests {
  /// Our own capture, against vivid and a loopback that a program feeds with Motion-JPEG.
  @Suite struct Cameras {
    private let heard = Heard()

    private func open(
      _ name: String?, _ change: (inout CameraSettings) -> Void = { _ in }
    ) throws -> V4L2Camera {
      var settings = CameraSettings()
      change(&settings)
      let camera = V4L2Camera(
        name, wanted: WantedPicture(width: 320, height: 180, framesPerSecond: 15),
        settings: settings, heard.context)
      try camera.open()
      return camera
    }

    private func pictures(_ count: Int, of camera: V4L2Camera) throws -> [Picture] {
      try (0..<count).map { _ in try #require(try camera.next()) }
    }

    @Test(arguments: [
      ("NV12", "nv12"), ("YU12", "yuv420p"), ("YUYV", "yuyv422"), ("UYVY", "uyvy422"),
      ("RGB3", "rgb24"),
    ])
    func `each raw format comes whole, stamped by the driver`(
      _ format: String, _ layout: String
    ) throws {
      let camera = try open(DeviceLab.camera) { $0.format = FourCC(named: format) }
      defer { camera.cancel() }
      let pictures = try pictures(15, of: camera)
      #expect(
        pictures.allSatisfy { $0.width == 320 && $0.height == 180 && $0.format == layout })
      // The driver stamps on a grid; what this machine was too slow for is counted as missed.
      let steps = zip(pictures, pictures.dropFirst()).map { $1.time - $0.time }
      let grid = steps.map { Int((Double($0) * 15 / 1e9).rounded()) }
      #expect(grid.allSatisfy { $0 >= 1 }, "\(steps)")
      #expect(grid.reduce(0) { $0 + $1 - 1 } == heard.missed)
      #expect(abs(MonotonicTime.now - pictures[14].time) < .seconds(1))
      #expect(heard.notices == [] && heard.broken == 0)
    }

    @Test func `pictures that are kept stay as they were, however many`() throws {
      let camera = try open(DeviceLab.camera) { $0.format = "YU12" }
      let kept = try pictures(12, of: camera)
      let before = kept.map(Self.sum)
      for _ in 0..<20 { _ = try camera.next() }
      camera.cancel()
      #expect(try camera.next() == nil)
      #expect(kept.map(Self.sum) == before)
      // Nobody who keeps them keeps the device.
      let other = try open(DeviceLab.camera) { $0.format = "YUYV" }
      #expect(try other.next() != nil)
      other.cancel()
    }

    private static func sum(_ picture: Picture) -> Int {
      picture.withPlanes { y, _, _ in
        (0..<y.height).reduce(0) { sum, row in
          (0..<y.width).reduce(sum) { ($0 &* 31) &+ Int(y.bytes[row * y.stride + $1]) }
        }
      }
    }

    @Test func `buffers that the driver drops or marks as broken are counted, and no end`()
      async throws
    {
      let camera = try open(DeviceLab.camera)
      defer { camera.cancel() }
      _ = try pictures(3, of: camera)
      let missed = heard.missed
      try await DeviceLab.control("percentage_of_dropped_buffers=50")
      while heard.missed < missed + 5 { _ = try camera.next() }
      try await DeviceLab.control("percentage_of_dropped_buffers=0")
      try await DeviceLab.control("inject_v4l2_buf_flag_error=1")
      while heard.broken == 0 { _ = try camera.next() }
      #expect(try camera.next() != nil)
    }

    @Test func `one whose driver knows frames only as planes is captured`() async throws {
      try await DeviceLab.reload("vivid", "multiplanar=2")
      let camera = try open(DeviceLab.camera) { $0.format = "NV12" }
      let pictures = try pictures(20, of: camera)
      #expect(pictures.allSatisfy { $0.format == "nv12" })
      #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $0.time < $1.time })
      camera.cancel()
      #expect(try camera.next() == nil)  // it has let go
      try await DeviceLab.reload("vivid")
    }

    @Test func `numbers and times that wrap are no end, and said once`() async throws {
      try await DeviceLab.control("wrap_timestamp=1,wrap_sequence_number=1")
      let wrapping = try open(DeviceLab.camera)
      defer { wrapping.cancel() }
      let pictures = try pictures(60, of: wrapping)
      try await DeviceLab.control("wrap_timestamp=0,wrap_sequence_number=0")
      #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $0.time < $1.time })
      #expect(abs(MonotonicTime.now - pictures[59].time) < .seconds(1))
      #expect(heard.notices.count <= 1 && heard.missed < 60)
    }

    @Test(arguments: [
      ("inject_fatal_streaming_error=1", "failed"), ("disconnect=1", "was unplugged"),
      ("inject_vidioc_qbuf_error=1", "failed at QBUF"),
    ])
    func `a fault says what it was, and the camera is back at the next try`(
      _ fault: String, _ words: String
    ) async throws {
      let camera = try open(DeviceLab.camera)
      defer { camera.cancel() }
      _ = try pictures(3, of: camera)
      try await DeviceLab.control(fault)
      let error = #expect(throws: SourceError.self) {
        while try camera.next() != nil {}
      }
      #expect("\(try #require(error))".contains(words), "\(error!)")
      while (try? camera.next()) == nil {}
    }

    @Test func `one that refuses to stream says so, and streams at the next try`() async throws {
      try await DeviceLab.control("inject_vidioc_streamon_error=1")
      let error = #expect(throws: SourceError.self) { _ = try open(DeviceLab.camera) }
      #expect("\(try #require(error))".contains("failed at STREAMON"), "\(error!)")
      let camera = try open(DeviceLab.camera)
      #expect(try camera.next() != nil)
      camera.cancel()
    }

    @Test func `a camera that another program holds says which`() async throws {
      let holder = try ChildProcess(
        "v4l2-ctl", ["-d", DeviceLab.camera, "--stream-mmap", "--stream-count=100000"])
      defer { holder.send(SIGKILL) }
      while !holder.standardError.contains("<") { try #require(holder.isRunning) }
      let error = #expect(throws: SourceError.self) { _ = try open(DeviceLab.camera) }
      #expect("\(try #require(error))".contains("is held by v4l2-ctl (process"), "\(error!)")
    }

    @Test func `controls are set by name, and refused with their range`() async throws {
      let camera = try open(DeviceLab.camera) {
        $0.controls = [.init(name: "brightness", value: 77)]
      }
      camera.cancel()
      #expect(
        try await DeviceLab.run("v4l2-ctl", "-d", DeviceLab.camera, "-C", "brightness")
          == "brightness: 77\n")
      let refused = CameraProblem.controlRefused("brightness", value: 999, takes: "0 to 255")
      #expect(throws: SourceError.camera(DeviceLab.camera, refused)) {
        _ = try open(DeviceLab.camera) { $0.controls = [.init(name: "brightness", value: 999)] }
      }
    }

    @Test func `one that is to be opened anew is, and can be cancelled after that`() async throws {
      let camera = try open(DeviceLab.camera) {
        $0.controls = [.init(name: "brightness", value: 77)]
      }
      _ = try pictures(3, of: camera)
      try await DeviceLab.control("brightness=10")
      _ = try pictures(3, of: camera)
      #expect(camera.reopen())
      _ = try pictures(3, of: camera)
      // Controls are set whenever it is opened.
      #expect(
        try await DeviceLab.run("v4l2-ctl", "-d", DeviceLab.camera, "-C", "brightness")
          == "brightness: 77\n")
      #expect(camera.reopen())
      camera.cancel()
      #expect(try camera.next() == nil)
    }

    @Test func `one that comes back under another number is still ours`() async throws {
      func plug(_ way: String) async throws {
        try await DeviceLab.run(
          "sh", "-c", "echo vivid.0 >/sys/bus/platform/drivers/vivid/\(way)")
      }
      let camera = try open(nil) { $0.format = "YU12" }
      _ = try pictures(3, of: camera)
      // Whoever has the node open keeps its number from being given to another one.
      let keeper = try ChildProcess(
        "sh", ["-c", "exec 3<\(DeviceLab.camera); echo; exec sleep 100"])
      while keeper.standardOutput.isEmpty { try #require(keeper.isRunning) }
      try await plug("unbind")
      #expect(throws: SourceError.self) { while try camera.next() != nil {} }
      #expect(throws: SourceError.camera(DeviceLab.camera, .unplugged)) { try camera.next() }
      try await plug("bind")
      while (try? camera.next()) == nil {}
      #expect(heard.choices.last?.hasPrefix("/dev/video1 (vivid): it is the same device; ") == true)
      camera.cancel()
      #expect(try camera.next() == nil)
      keeper.send(SIGKILL)
      _ = try await keeper.outcome()
      try await plug("unbind")
      try await plug("bind")
    }

    @Test func `Motion-JPEG is handed on as it is, and its feeder may go and come back`()
      async throws
    {
      try await DeviceLab.reloadLoopback()
      let pattern = ["-re", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=15"]
      let feeder = try Self.feeder(pattern)
      defer { feeder.send(SIGKILL) }
      let camera = try await untilOpen(feeder)
      let pictures = try pictures(20, of: camera)
      #expect(pictures.allSatisfy { $0.format == "jpeg" && $0.width == 320 })
      let converter = PictureConverter(width: 160, height: 90, fill: .crop)
      #expect(try converter.convert(pictures[19]).width == 160)
      #expect(heard.broken <= 5)  // the loopback overwrites what a slow reader still reads
      let keeper = FileHandle(forReadingAtPath: DeviceLab.loopbackCamera)
      feeder.send(SIGKILL)
      let error = #expect(throws: SourceError.self) { while try camera.next() != nil {} }
      #expect("\(try #require(error))".contains("delivered no frame for"), "\(error!)")
      let another = try Self.feeder(pattern)
      defer { another.send(SIGKILL) }
      while (try? camera.next()) == nil { try #require(another.isRunning) }
      camera.cancel()
      try keeper?.close()
    }

    @Test func `broken JPEGs are left out and counted`() async throws {
      try await DeviceLab.reloadLoopback()
      let folder = try TemporaryDirectory()
      try await DeviceLab.run(
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180", "-frames:v", "1",
        "-pix_fmt", "yuvj422p", folder.file("whole.jpg"))
      let whole = try Data(contentsOf: URL(filePath: folder.file("whole.jpg")))
      let frames = [
        whole, whole, whole.prefix(whole.count / 2), whole, Data(count: 5000), whole,
        whole + whole, whole, whole.dropLast(2),
      ]
      for (number, frame) in frames.enumerated() {
        try frame.write(to: URL(filePath: folder.file("frame\(number).jpg")))
      }
      let feeder = try Self.feeder(
        [
          "-re", "-f", "image2", "-loop", "1", "-framerate", "15", "-c:v", "mjpeg", "-i",
          folder.file("frame%d.jpg"),
        ], codec: ["-c:v", "copy"])
      defer { feeder.send(SIGKILL) }
      let camera = try await untilOpen(feeder)
      defer { camera.cancel() }
      while heard.broken < 20 {
        let picture = try #require(try camera.next())
        #expect(picture.width == 320 && picture.height == 180)
      }
      #expect(heard.notices == [])
    }

    private static func feeder(
      _ input: [String], codec: [String] = ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"]
    ) throws -> ChildProcess {
      try ChildProcess(
        "ffmpeg",
        ["-v", "error"] + input + codec + ["-f", "v4l2", DeviceLab.loopbackCamera])
    }

    /// Without a writer it is no camera.
    private func untilOpen(_ feeder: ChildProcess) async throws -> V4L2Camera {
      while true {
        try #require(feeder.isRunning, "\(feeder.standardError)")
        if let camera = try? open(DeviceLab.loopbackCamera) { return camera }
      }
    }
  }
}

/// What a camera tells of itself.
private final class Heard: Sendable {
  private struct State {
    var notices: [String] = []
    var choices: [String] = []
    var missed = 0
    var broken = 0
  }
  private let state = Mutex(State())

  var notices: [String] { state.withLock { $0.notices } }
  var choices: [String] { state.withLock { $0.choices } }
  var missed: Int { state.withLock { $0.missed } }
  var broken: Int { state.withLock { $0.broken } }

  var context: SourceContext {
    var context = SourceContext()
    context.notice = { words in self.state.withLock { $0.notices.append(words) } }
    context.chosen = { words in self.state.withLock { $0.choices.append(words) } }
    context.missedFrames = { count in self.state.withLock { $0.missed += count } }
    context.decodeError = { self.state.withLock { $0.broken += 1 } }
    return context
  }
}
