import Foundation

/// A directory of its own under the system's temporary one, gone with this object.
public final class TemporaryDirectory: Sendable {
  public let path: String

  /// - Parameter name: what its name begins with.
  public init(named name: String = "bunny") throws {
    path = NSTemporaryDirectory() + "\(name)-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of `name` in here.
  public func file(_ name: String) -> String { path + "/" + name }
}
