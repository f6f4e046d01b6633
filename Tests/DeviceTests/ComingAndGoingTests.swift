import BunnyCapture
import BunnyInspect
import BunnySystem
import Foundation
import Support
import Testing

extension DeviceTests {
  /// Cameras and microphones that fail, go and come while they are broadcast: viewers see the slate
  /// within a second, the picture within another, and nothing else. `BUNNY_TRIALS=1` prints what was
  /// measured.
  @Suite struct ComingAndGoing {
    private static var now: Int64 { MonotonicTime.now.nanoseconds / 1_000_000 }

    /// What vivid does to a broadcast that ends its stream; each can be opened again at once.
    private static let faults = [
      "disconnect=1", "inject_fatal_streaming_error=1", "inject_vidioc_qbuf_error=1",
    ]

    @Test func `whatever a driver does, viewers are shown the slate for at most a second`()
      async throws
    {
      try await DeviceLab.setUp("YUYV", width: 320)
      let broadcast = try await LabBroadcast(SmallPublish(video: DeviceLab.camera))
      _ = try await broadcast.says("statistics")
      // Its numbers and times wrap from the next start on; one frame in a thousand is missing.
      try await DeviceLab.control("wrap_timestamp=1,wrap_sequence_number=1,reduced_framerate=1")
      func inject(_ fault: String, _ count: Int) async throws {
        try await DeviceLab.control(fault)
        _ = try await broadcast.says("cameraLost", count)
        _ = try await broadcast.says("cameraBack", count)
      }
      for (index, fault) in Self.faults.enumerated() {
        try await inject(fault, index + 1)
        try await broadcast.nextStatistics()  // else the next slate may follow the last one
      }
      // What is no loss is counted.
      try await DeviceLab.control("percentage_of_dropped_buffers=30")
      try await broadcast.statistics { $0.missedFrames ?? 0 >= 10 }
      try await DeviceLab.control("percentage_of_dropped_buffers=0,inject_v4l2_buf_flag_error=1")
      try await broadcast.statistics { $0.decodeErrors ?? 0 >= 1 }
      // By now the next loss is one of its own, and the first try comes at once: it is refused.
      let count = Self.faults.count + 1
      try await inject("inject_vidioc_streamon_error=1,inject_fatal_streaming_error=1", count)
      try await broadcast.nextStatistics()
      try await DeviceLab.control("wrap_timestamp=0,wrap_sequence_number=0,reduced_framerate=0")

      let ending = try await broadcast.end()
      #expect(ending.turns == (0..<count).flatMap { _ in ["cameraLost", "cameraBack"] })
      let outages = try Film(ending.path).outages
      DeviceLab.report("vivid's faults", "\(outages)")
      #expect(outages.count == count)
      for outage in outages { #expect(outage.untilSlate <= 1 && outage.slateLasts <= 1) }
    }

    @Test func `broken JPEGs are left out, and a feeder may die and come back`() async throws {
      try await DeviceLab.reloadLoopback()
      // Else v4l2loopback 0.12.7 takes no second feeder that writes, once somebody has asked in between.
      try await DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "-c", "keep_format=1")
      // At 15 frames a second: one of four broken each way, then none whole for two seconds.
      let first = try Projector(testPictureOf: 320, 180, framesPerSecond: 15) { number, jpeg in
        switch number {
        case 60..<90 where number % 4 == 0: Array(jpeg[..<(jpeg.count / 2)])
        case 60..<90 where number % 4 == 2: [UInt8](repeating: 0, count: 5000)
        case 90..<120: Array(jpeg.dropLast(2))
        default: jpeg
        }
      }
      defer { first.end() }
      let broadcast = try await LabBroadcast(SmallPublish(video: DeviceLab.loopbackCamera))
      _ = try await broadcast.says("cameraBack")
      // For as long as makes the next loss one of its own.
      try await first.shows(120 + Int(Presence.proof / 1_000_000_000) * 15)
      first.end()
      _ = try await broadcast.says("cameraLost", 2)
      try await broadcast.nextStatistics()
      let second = try Projector(testPictureOf: 320, 180, framesPerSecond: 15)
      defer { second.end() }
      _ = try await broadcast.says("cameraBack", 2)
      try await broadcast.nextStatistics()
      let ending = try await broadcast.end()
      try await DeviceLab.run("v4l2-ctl", "-d", DeviceLab.loopbackCamera, "-c", "keep_format=0")

      #expect(ending.turns == ["cameraLost", "cameraBack", "cameraLost", "cameraBack"])
      // The loopback overwrites what a slow reader still reads.
      #expect((40...60).contains(try #require(ending.totals.decodeErrors)))
      try expectBackInTime(try Film(ending.path), second)
    }

    /// Of a loopback that failed twice: slate and picture were in time, by what its frames tell.
    private func expectBackInTime(_ film: Film, _ second: Projector) throws {
      let outages = film.outages
      try #require(outages.count == 2)
      for outage in outages { #expect(outage.untilSlate <= 1) }
      let fed = try film.pts(of: second.shown[0], near: outages[1].picture + 1)
      let delay = outages[1].picture - fed
      DeviceLab.report("a feeder's", "\(outages), picture \(Int(delay * 1000)) ms after its frame")
      #expect(delay <= 1)
      // The first whole frame after those that were not is number 120.
      let whole = try #require(film.frames.first { $0.pts >= outages[0].picture })
      #expect(try #require(whole.mark).number <= 125)
    }

    @Test func `devices that are unplugged are the same under another number`() async throws {
      func plug(_ way: String, _ driver: String, _ device: String) async throws {
        try await DeviceLab.run(
          "sh", "-c", "echo \(device) >/sys/bus/platform/drivers/\(driver)/\(way)")
      }
      try await DeviceLab.setUp("YUYV", width: 320)
      let small = try SmallPublish(video: DeviceLab.camera, audio: "alsa:hw:0,0")
      let broadcast = try await LabBroadcast(small)
      _ = try await broadcast.says("statistics")
      var unplugged = Self.now
      try await plug("unbind", "vivid", "vivid.0")
      let lost = try await broadcast.says("cameraLost")
      #expect(lost.monotonicMs - unplugged < 1000, "\(lost)")
      unplugged = Self.now
      try await plug("unbind", "snd_aloop", "snd_aloop.0")
      let silent = try await broadcast.says("microphoneLost")
      #expect(silent.monotonicMs - unplugged < 1000, "\(silent)")

      try await DeviceLab.run("modprobe", "-r", "v4l2loopback")
      try await DeviceLab.run("modprobe", "v4l2loopback", "video_nr=0")
      try await DeviceLab.run("modprobe", "snd-dummy")
      try await plug("bind", "vivid", "vivid.0")
      let cameraBound = Self.now
      try await plug("bind", "snd_aloop", "snd_aloop.0")
      let cardBound = Self.now
      let cameraBack = try await broadcast.says("cameraBack").monotonicMs - cameraBound
      let microphoneBack = try await broadcast.says("microphoneBack").monotonicMs - cardBound
      DeviceLab.report(
        "back after plugging in", "camera \(cameraBack) ms, microphone \(microphoneBack) ms")
      #expect(cameraBack < 1000 && microphoneBack < 1000)
      #expect(try String(contentsOfFile: "/proc/asound/card1/id", encoding: .utf8) == "Loopback\n")

      let ending = try await broadcast.end()
      #expect(
        ending.turns.sorted() == ["cameraBack", "cameraLost", "microphoneBack", "microphoneLost"])
      let source = try #require(
        ending.sayings.last { $0.source?.hasPrefix("/dev") == true }?.source)
      #expect(source.hasPrefix("/dev/video1 (vivid): it is the same device; "), "\(source)")
      #expect(ending.report.audio?.gaps == 0)
      #expect(try Film(ending.path).outages.count == 1)

      try await plug("unbind", "vivid", "vivid.0")
      try await plug("unbind", "snd_aloop", "snd_aloop.0")
      try await DeviceLab.run("modprobe", "-r", "snd-dummy")
      try await DeviceLab.reloadLoopback()
      try await plug("bind", "snd_aloop", "snd_aloop.0")
      try await plug("bind", "vivid", "vivid.0")
    }
  }
}
