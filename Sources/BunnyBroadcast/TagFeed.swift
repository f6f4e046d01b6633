import BunnyMedia
import BunnyRTMP
import BunnySystem
import Synchronization

/// The tag log as one RTMP session sees it. Belongs to the session's thread.
final class TagFeed: RTMPFeed, @unchecked Sendable {  // used by its session's thread only
  private let cursor: TagLog.Cursor
  private let headers: [RTMPTag]
  private let telemetry: Telemetry
  private var underway: [Int64: MediaTag] = [:]
  private var droppedBefore: Int64
  /// Is told when frames had to be left out.
  private let onDrop: (Int) -> Void
  /// The first tag that the kernel has not taken; nil when it has taken all that was read.
  private(set) var oldestUnsent: Int64?

  init(
    _ cursor: TagLog.Cursor, headers: [RTMPTag], telemetry: Telemetry,
    onDrop: @escaping (Int) -> Void
  ) {
    self.cursor = cursor
    self.headers = headers
    self.telemetry = telemetry
    self.onDrop = onDrop
    droppedBefore = cursor.droppedFrames
  }

  var wake: WakeEvent { cursor.wake }
  func opening() -> [RTMPTag] { headers }
  var isFinished: Bool { cursor.isFinished }

  func next() -> RTMPTag? {
    telemetry.waiting(since: cursor.waitingSince)
    guard let (tag, serial) = cursor.next() else { return nil }
    if cursor.droppedFrames > droppedBefore {
      onDrop(Int(cursor.droppedFrames - droppedBefore))
      droppedBefore = cursor.droppedFrames
    }
    underway[serial] = tag
    if oldestUnsent == nil { oldestUnsent = serial }
    return RTMPTag(tag, serial: serial)
  }

  func sent(_ tag: RTMPTag, at time: MonotonicTime) {
    guard let media = underway.removeValue(forKey: tag.serial) else { return }  // a header
    telemetry.published(media, tag.serial, at: time)
    oldestUnsent = underway.keys.min()
  }
}

extension RTMPTag {
  init(_ tag: MediaTag, serial: Int64) {
    self.init(
      kind: tag.kind == .video ? .video : .audio, timestamp: tag.dts, body: tag.body,
      serial: serial)
  }
}
