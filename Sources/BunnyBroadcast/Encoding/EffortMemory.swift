package import BunnyMedia
import BunnySystem
import Glibc
import Synchronization

/// The effort that held the last time, in a small file: an object with a key for each kind of work.
/// What cannot be read counts as nothing.
package struct EffortMemory: Sendable {
  /// Broadcasts of one process remember one after the other, so that none undoes another's.
  private static let turn = Mutex(())

  private let folder: String
  private let key: String
  private var path: String { "\(folder)/efforts.json" }

  /// What was in the way, for a log.
  package struct Trouble: Error, CustomStringConvertible, Sendable {
    package let description: String
  }

  /// - Parameters:
  ///   - folder: made when something is remembered.
  ///   - processor: its model.
  ///   - processors: that may be used.
  package init(
    folder: String, processor: String, processors: Double, _ quality: VideoEncoder.Settings
  ) {
    self.folder = folder
    let count = JSONValue.shown((processors * 10).rounded() / 10)
    let rate = JSONValue.shown((quality.frameRate.value * 100).rounded() / 100)
    key = "\(processor), \(count) processors, \(quality.width)x\(quality.height) at \(rate)"
  }

  /// - Returns: nil where nothing was remembered.
  package func remembered() throws(Trouble) -> EncoderEffort? {
    let words = try members().first { $0.key == key }
    guard case .string(let name)? = words?.value else { return nil }
    return EncoderEffort(named: name)
  }

  /// Another process that remembers something else at this very moment may win. Blocks.
  package func remember(_ effort: EncoderEffort) throws(Trouble) {
    try Self.turn.withLock { _ throws(Trouble) in try write(effort) }
  }

  private func write(_ effort: EncoderEffort) throws(Trouble) {
    var members = (try? members()) ?? []
    members.removeAll { $0.key == key }
    members.append(.init(key, .string("\(effort)")))
    // The newest hundred: a machine has a few.
    let text = JSONValue.object(Array(members.suffix(100))).page() + "\n"
    try makeFolders()
    let new = "\(path).\(getpid())"
    try write(text, to: new)
    guard rename(new, path) == 0 else {
      let reason = errno
      unlink(new)
      throw trouble("written", reason)
    }
  }

  private func members() throws(Trouble) -> [JSONValue.Member] {
    guard access(path, F_OK) == 0 else { return [] }
    do {
      if case .object(let members) = try JSONReader.read(SystemFiles.bytes(path)) { return members }
    } catch {
      throw Trouble(description: "\(path) cannot be read (\(error)); it is written anew")
    }
    return []
  }

  private func makeFolders() throws(Trouble) {
    var made = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") {
      made += "/\(part)"
      if mkdir(made, 0o755) != 0 && errno != EEXIST { throw trouble("written", errno) }
    }
  }

  private func write(_ text: String, to path: String) throws(Trouble) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw trouble("written", errno) }
    let bytes = Array(text.utf8)
    let count = Glibc.write(file, bytes, bytes.count)
    let reason = count < 0 ? errno : ENOSPC
    close(file)
    guard count == bytes.count else {
      unlink(path)
      throw trouble("written", reason)
    }
  }

  private func trouble(_ what: String, _ code: Int32) -> Trouble {
    Trouble(
      description: "\(path) cannot be \(what): \(systemWords(code)); "
        + "the next start measures anew")
  }
}
