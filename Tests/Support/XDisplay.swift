import Foundation

/// A screen of 640x480 without a monitor: Debian's Xvfb, on a display number of its own choosing.
public final class XDisplay: Sendable {
  private static let command = "/usr/bin/Xvfb"

  /// Whether this machine has what it takes.
  public static var isAvailable: Bool { FileManager.default.fileExists(atPath: command) }

  /// Such as `:7`.
  public let name: String
  private let server: ChildProcess

  /// Starts it and waits until it has told its number.
  ///
  /// - Parameter name: of one that has ended, to take its place.
  public init(_ name: String? = nil) async throws {
    let place = name.map { [$0] } ?? []
    server = try ChildProcess(
      Self.command, place + ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    try await server.waitForOutput(in: .output) { $0.hasSuffix("\n") }
    self.name = ":" + server.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Ends it and waits until it has ended.
  public func end() async throws {
    server.send(SIGTERM)
    _ = try await server.outcome()
  }
}
