import BunnyCapture
import BunnySystem
import CBunnyV4L2
import Foundation
import Support
import Testing

extension DeviceTests {
  /// What a camera that was lost leaves behind: nothing.
  @Suite struct Traces {
    /// `scripts/soak` asks for hundreds.
    private static let losses = DeviceLab.soakedLosses ?? 6

    @Test func `a camera that is opened and lost again and again leaves nothing behind`() throws {
      let camera = V4L2Camera(
        DeviceLab.camera, wanted: WantedPicture(width: 320, height: 180, framesPerSecond: 30),
        settings: CameraSettings(), SourceContext())
      defer { camera.cancel() }
      func lose() throws {
        #expect(try camera.next() != nil)
        try VividControl.disconnect()
        #expect(throws: SourceError.self) { while try camera.next() != nil {} }
      }
      for _ in 0..<10 { try lose() }
      let before = try ProcessFootprint()
      for _ in 0..<(2 * Self.losses) { try lose() }
      let after = try ProcessFootprint()
      DeviceLab.report("round trips of a camera", "\(2 * Self.losses): \(before), then \(after)")
      #expect(after.descriptors == before.descriptors && after.threads <= before.threads)
      // Of 1000 and of 5000 losses: 2.1 and 3.5 MB, until the allocator has settled.
      #expect(after.kilobytes - before.kilobytes < 4096)
    }

    @Test func `a broadcast whose camera comes and goes leaves nothing behind`() async throws {
      try await DeviceLab.setUp("YUYV", width: 320)
      let broadcast = try await LabBroadcast(SmallPublish(video: DeviceLab.camera))
      _ = try await broadcast.says("statistics")
      var before: ProcessFootprint?
      for count in 1...Self.losses {
        try VividControl.disconnect()
        _ = try await broadcast.says("cameraLost", count)
        // Somebody opens it: it is tried again at once.
        try VividControl.touch()
        _ = try await broadcast.says("cameraBack", count)
        if count == Self.losses / 2 { before = try ProcessFootprint(broadcast.command.processID) }
      }
      let early = try #require(before)
      let after = try ProcessFootprint(broadcast.command.processID)
      DeviceLab.report("round trips of a broadcast", "\(Self.losses): \(early), then \(after)")
      let ending = try await broadcast.end()
      #expect(ending.turns.count == 2 * Self.losses)
      #expect(after.descriptors == early.descriptors && after.threads <= early.threads)
      #expect(after.kilobytes - early.kilobytes < 4096)
    }
  }
}

/// vivid's controls, without a process for each.
private enum VividControl {
  /// As if it were unplugged, until nobody has it open.
  static func disconnect() throws {
    let device = try opened()
    defer { close(device) }
    var query = v4l2_queryctrl()
    repeat {
      query.id |= UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
      try #require(bunny_v4l2(device, bunny_vidioc_queryctrl, &query) == 0)
    } while withUnsafeBytes(of: query.name) { !$0.starts(with: "Disconnect\0".utf8) }
    var control = v4l2_control(id: query.id, value: 1)
    try #require(bunny_v4l2(device, bunny_vidioc_s_ctrl, &control) == 0)
  }

  /// Has it open for a moment, once it can be.
  static func touch() throws { close(try opened()) }

  private static func opened() throws -> Int32 {
    let (devices, nobody) = (DeviceFolder(), WakeEvent())
    devices.begin()
    let deadline = MonotonicTime.now + .seconds(5)
    repeat {
      let device = open(DeviceLab.camera, O_RDWR | O_CLOEXEC)
      if device >= 0 { return device }
      // Whoever has it lets go, or opens it again.
    } while devices.wait(for: nobody, until: deadline) == .changed
    throw SourceError.camera(DeviceLab.camera, .unplugged)
  }
}
