import BunnyCapture
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct DeviceFolderTests {
  private let folder: TemporaryDirectory
  private let devices: DeviceFolder
  private let wake = WakeEvent()

  init() throws {
    folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: folder.file("snd"), withIntermediateDirectories: true)
    devices = DeviceFolder(root: folder.path)
  }

  private func make(_ name: String) {
    #expect(FileManager.default.createFile(atPath: folder.file(name), contents: nil))
  }

  private func wait() -> DeviceFolder.Outcome {
    devices.wait(for: wake, until: .now + .seconds(10))
  }

  @Test func `a camera or a microphone that is plugged in ends the wait`() {
    devices.begin()
    make("video3")
    #expect(wait() == .changed)
    devices.begin()
    make("snd/pcmC1D0c")
    #expect(wait() == .changed)
  }

  @Test func `who opens a camera ends the wait, what was before and other devices do not`() throws {
    make("video3")
    make("tty")
    devices.begin()
    make("null")
    #expect(devices.wait(for: wake, until: .now) == .timeout)
    let file = try FileHandle(forReadingFrom: URL(filePath: folder.file("video3")))
    #expect(wait() == .changed)
    try file.close()
    devices.begin()
    #expect(devices.wait(for: wake, until: .now) == .timeout)
  }

  @Test func `it is woken, once`() {
    devices.begin()
    wake.signal()
    #expect(wait() == .woken)
    #expect(devices.wait(for: wake, until: .now) == .timeout)
  }
}
