import BunnySystem
import Foundation

/// A folder of this process's own under the system's temporary one, gone with this object.
///
/// The name holds the process's number: what a killed sandbox left is removed by the next one.
package final class WorkFolder: Sendable {
  package let path: String
  private static let prefix = "bunny-sandbox-"

  package init() throws(SandboxError) {
    Self.sweep()
    let pattern = "\(Self.parent)/\(Self.prefix)\(getpid())-XXXXXX"
    var template = Array(pattern.utf8CString)
    let isMade = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
    guard isMade else { throw .cannotWrite(pattern, reason: systemWords(errno)) }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { remove() }

  package func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Makes a folder in here and returns its path.
  func folder(_ name: String) throws(SandboxError) -> String {
    let folder = "\(path)/\(name)"
    try makeFolder(folder)
    return folder
  }

  private static let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"

  private static func sweep() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let owner = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let process = pid_t(owner), kill(process, 0) != 0, errno == ESRCH else { continue }
      try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
    }
  }
}

/// The same path, from the root on: who reads it may stand elsewhere.
func absolute(_ path: String) -> String {
  path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
}

/// Makes a folder and those above it, unless it is there.
func makeFolder(_ path: String) throws(SandboxError) {
  do {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  } catch {
    throw .cannotWrite(path, reason: "the folder could not be made")
  }
}

/// Removes the playlist, segments and pictures of an earlier recording, and nothing else.
func removeOldRecording(in folder: String) throws(SandboxError) {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  for name in names
  where name == HLSRecording.playlistName
    || (name.hasPrefix("segment-") && (name.hasSuffix(".ts") || name.hasSuffix(".jpg")))
  {
    do { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") } catch {
      throw .cannotWrite(folder, reason: "an old \(name) could not be removed")
    }
  }
  guard access(folder, W_OK) == 0 else {
    throw .cannotWrite(folder, reason: systemWords(errno))
  }
}
