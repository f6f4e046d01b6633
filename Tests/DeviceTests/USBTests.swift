import BunnyCapture
import BunnySystem
import Foundation
import Support
import Testing

extension DeviceTests {
  /// A real USB webcam's sysfs tree. `scripts/soak` runs it in a machine of its own, where nothing needs
  /// to be brought back.
  @Suite(.enabled(if: DeviceLab.isSoak, "scripts/soak runs it"))
  struct USBWebcam {
    /// Waits for the camera, or for its end.
    private func camera(isThere: Bool) throws -> VideoNode? {
      let (devices, nobody) = (DeviceFolder(), WakeEvent())
      let deadline = MonotonicTime.now + .seconds(60)
      while MonotonicTime.now < deadline {
        let before = try Self.nodes()
        let found = VideoNode.all().first { $0.usb != nil && !$0.usableOffers.isEmpty }
        if (found != nil) == isThere { return found }
        devices.begin()  // forgets that we have opened them, and what changed meanwhile
        if try Self.nodes() == before { _ = devices.wait(for: nobody, until: deadline) }
      }
      throw WaitedInVain(what: "the webcam", seconds: 60)
    }

    private static func nodes() throws -> Set<String> {
      Set(try FileManager.default.contentsOfDirectory(atPath: "/dev"))
    }

    @Test func `it is known by its identity, whatever its port, and so is its microphone`()
      async throws
    {
      let webcam = try await GadgetWebcam()
      try webcam.plugIn(at: 0)
      let first = try #require(try camera(isThere: true))
      #expect(first.usb?.model == "046d:082d" && first.usb?.serial == GadgetWebcam.serial)
      #expect(first.usb?.port == "1-1" && first.driver == "uvcvideo")

      let chosen = try CameraChoice(
        bestOf: VideoNode.all(), for: WantedPicture(width: 640, height: 360, framesPerSecond: 30))
      #expect(chosen.node == first)
      let name = "v4l2:046d:082d:\(GadgetWebcam.serial)"
      #expect(try CameraChoice(named: name, among: VideoNode.all()).node == first)
      let (microphone, reason) = MicrophoneChoice.automatic(
        among: BunnyCapture.Microphones.listed(), camera: first.usb)
      #expect(microphone?.usb == first.usb && reason == "it is the camera's own")

      try webcam.unplug(from: 0)
      _ = try camera(isThere: false)
      try webcam.plugIn(at: 3)
      let second = try #require(try camera(isThere: true))
      #expect(second.usb?.port == "1-4" && second.isSame(as: first))
    }
  }
}
