import BunnySystem
import Glibc

/// What is remembered of a live stream, by one broadcast at a time.
package protocol StreamMemory: Sendable {
  /// - Returns: nil where nothing is remembered, or nothing that can be read.
  func record() -> StreamRecord?
  /// Keeps it, or what was there; blocks.
  func save(_ record: StreamRecord) throws(StreamStore.Trouble)
  /// Nothing is remembered any more.
  func forget()
}

/// What this machine remembers of a live stream, in a file that only its owner may read, and the lock that
/// only one process of this machine holds. Both are this object's until it goes, or the process dies.
package final class StreamStore: StreamMemory {
  /// Why there is no store.
  package enum Trouble: Error, Equatable, Sendable {
    /// Another process, or another broadcast of this one, has the stream; its number, if it could be read.
    case held(by: Int32?)
    /// In a sentence: the broadcast goes on without.
    case unusable(String)
  }

  private let folder: String
  private let path: String
  private let lock: Int32

  /// - Parameters:
  ///   - folder: is made with those above it.
  ///   - streamId: a GUID, which is a file's name as it stands; of anything else its figures and letters.
  package init(folder: String, streamId: String) throws(Trouble) {
    let name = String(
      streamId.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    self.folder = folder
    path = "\(folder)/\(name).json"
    try Self.make(folder)
    let lockPath = "\(folder)/\(name).lock"
    lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw Self.unusable(lockPath, errno) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      // `deinit` closes it.
      let (reason, holder) = (errno, SystemFiles.text(lockPath).flatMap { Int32($0) })
      throw reason == EWOULDBLOCK ? .held(by: holder) : Self.unusable(lockPath, reason)
    }
    let number = Array("\(getpid())\n".utf8)
    ftruncate(lock, 0)
    // What cannot be written is only missing in the words for who finds it locked.
    _ = pwrite(lock, number, number.count, 0)
  }

  // The file stays: who removed it might remove another one's lock.
  deinit { close(lock) }

  package func record() -> StreamRecord? {
    let bytes = SystemFiles.bytes(path)
    return (try? JSONReader.read(bytes)).flatMap { StreamRecord($0) }
  }

  /// Writes it whole, or not at all, and returns when it is on the disk: the power may go at any time.
  package func save(_ record: StreamRecord) throws(Trouble) {
    let new = path + ".new"
    let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw Self.unusable(new, errno) }
    fchmod(file, 0o600)  // also one that somebody else has left there
    let bytes = Array((record.json.page() + "\n").utf8)
    let count = write(file, bytes, bytes.count)
    var reason = count < 0 ? errno : count < bytes.count ? ENOSPC : 0
    if reason == 0, fsync(file) != 0 { reason = errno }
    close(file)
    if reason == 0, rename(new, path) != 0 { reason = errno }
    guard reason == 0 else {
      unlink(new)
      throw Self.unusable(path, reason)
    }
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  /// Nothing is remembered any more. What cannot be removed is only kept for longer.
  package func forget() { unlink(path) }

  private static func make(_ folder: String) throws(Trouble) {
    var made = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") {
      made += "/\(part)"
      if mkdir(made, 0o755) != 0 && errno != EEXIST { throw unusable(made, errno) }
    }
  }

  private static func unusable(_ path: String, _ code: Int32) -> Trouble {
    .unusable(
      "\(path) cannot be written: \(systemWords(code)); after a crash it is not known "
        + "that the stream was ours")
  }
}

/// Which boot of this machine it is: `CLOCK_MONOTONIC` begins anew with each.
package enum Boot {
  package static let id = SystemFiles.text("/proc/sys/kernel/random/boot_id") ?? ""
}
