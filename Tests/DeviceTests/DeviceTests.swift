import Foundation
import Support
import Testing

/// What needs a camera or a microphone: one after the other, in the machine that `scripts/device-lab`
/// boots. Suites are added to this one. Each test sets format and controls as it needs them, and brings
/// back what it took away.
@Suite(
  .serialized, .timeLimit(.minutes(DeviceLab.isSoak ? 30 : 2)),
  .enabled(if: DeviceLab.isHere, "scripts/device-lab runs them"))
enum DeviceTests {}

/// The machine of `scripts/device-lab`.
enum DeviceLab {
  static let isHere = environment["BUNNY_DEVICE_LAB"] != nil

  private static let environment = ProcessInfo.processInfo.environment
  /// `scripts/soak` asks for sound cards whose clocks are off.
  static let soaksShifts = environment["BUNNY_SOAK_SHIFTS"] != nil
  /// `scripts/soak` asks for all of everything else, and for so many losses.
  static let soakedLosses = environment["BUNNY_SOAK_LOSSES"].flatMap(Int.init)
  static let isSoak = soaksShifts || soakedLosses != nil

  /// vivid: a webcam with raw formats.
  static let camera = "/dev/video0"
  /// v4l2loopback: shows what is written to it.
  static let loopbackCamera = "/dev/video9"
  /// The sound card's two ends: what one plays, the other records.
  static let microphone = "hw:Loopback,0,0"
  static let loudspeaker = "hw:Loopback,1,0"

  /// Prints what a trial measured, where that is wanted.
  static func report(_ what: String, _ measured: String) {
    guard environment["BUNNY_TRIALS"] != nil else { return }
    print("\(what): \(measured)")
  }

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

  /// Version 0.12 takes no writer any more once one has died and nobody has it open.
  static func reloadLoopback() async throws { try await reload("v4l2loopback") }

  /// Takes a driver away and loads it anew. Whoever had a device of it open may still be letting go, of
  /// which nobody tells.
  static func reload(_ module: String, _ options: String = "") async throws {
    try await run(
      "sh", "-c",
      "for i in $(seq 100); do modprobe -r \(module) && exec modprobe \(module) \(options); "
        + "sleep 0.1; done; exit 1")
  }

  /// A moving picture from vivid, in one of its raw formats.
  static func setUp(_ format: String, width: Int) async throws {
    try await run(
      "v4l2-ctl", "-d", camera, "-c", "horizontal_movement=5",
      "--set-fmt-video=width=\(width),height=\(width * 9 / 16),pixelformat=\(format)")
  }

  /// Sets vivid's controls, `disconnect=1` for instance; `v4l2-ctl -L` lists them.
  static func control(_ settings: String) async throws {
    try await run("v4l2-ctl", "-d", camera, "-c", settings)
  }

  /// Lets the sound card's clock be wrong.
  static func shiftClock(by partsPerMillion: Int) async throws {
    try await run(
      "amixer", "-q", "-D", "hw:Loopback", "cset",
      "iface=PCM,name=PCM Rate Shift 100000,device=0,subdevice=0",
      "\(100_000 + partsPerMillion / 10)")
  }

  /// Plays a tone of 1 kHz as long as what is returned lives.
  static func playTone() throws -> ChildProcess {
    try ChildProcess(
      "speaker-test",
      ["-D", loudspeaker, "-c", "2", "-r", "48000", "-F", "S16_LE", "-t", "sine", "-f", "1000"])
  }
}
