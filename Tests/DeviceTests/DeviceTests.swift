import Foundation
import Support
import Testing

/// What needs a camera or a microphone: one after the other, in the machine that `scripts/device-lab`
/// boots. Suites are added to this one. Each test sets format and controls as it needs them, and brings
/// back what it took away.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: DeviceLab.isHere, "scripts/device-lab runs them"))
enum DeviceTests {}

/// The machine of `scripts/device-lab`.
enum DeviceLab {
  static let isHere = ProcessInfo.processInfo.environment["BUNNY_DEVICE_LAB"] != nil

  /// vivid: a webcam with raw formats.
  static let camera = "/dev/video0"
  /// v4l2loopback: shows what is written to it.
  static let loopbackCamera = "/dev/video9"
  /// The sound card's two ends: what one plays, the other records.
  static let microphone = "hw:Loopback,0,0"
  static let loudspeaker = "hw:Loopback,1,0"

  /// Runs a command that must succeed.
  /// - Returns: What it printed.
  @discardableResult
  static func run(
    _ command: String, _ arguments: String..., location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let outcome = try await ChildProcess.run(command, arguments)
    try #require(outcome.exitStatus == 0, "\(command): \(outcome)", sourceLocation: location)
    return outcome.standardOutput
  }

  /// Sets vivid's controls, `disconnect=1` for instance; `v4l2-ctl -L` lists them.
  static func control(_ settings: String) async throws {
    try await run("v4l2-ctl", "-d", camera, "-c", settings)
  }

  /// Plays a tone of 1 kHz as long as what is returned lives.
  static func playTone() throws -> ChildProcess {
    try ChildProcess(
      "speaker-test",
      ["-D", loudspeaker, "-c", "2", "-r", "48000", "-F", "S16_LE", "-t", "sine", "-f", "1000"])
  }
}
