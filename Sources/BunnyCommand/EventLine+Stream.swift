import BunnyBroadcast
import BunnyStreamAPI

// What happens to a live stream of Bunny's.
extension EventLine {
  /// nil for other events.
  init?(ofStream event: BunnyBroadcastEvent) {
    switch event {
    case .streamFound(let title, let status, let resumes):
      self.init(
        "streamFound",
        [
          .init("title", title.map { .string($0) } ?? .null), .init("status", .string("\(status)")),
          .init("resumes", .bool(resumes)),
        ])
    case .streamCreated(let id, let title):
      self.init(
        "streamCreated", [.init("stream", .string(id)), .init("title", .string(title))])
    case .awaitingStart(let date, let time):
      self.init(
        "awaitingStart",
        [
          .init("beginsAt", .string(BunnyTimestamp.text(date))),
          .init("inMs", .integer(Int64(time.inMilliseconds.rounded()))),
        ])
    case .streamOver(let reason): self.init("streamOver", [.init("reason", .string(reason))])
    case .askingAgain(let delay, let reason):
      self.init(
        "askingAgain",
        [
          .init("afterMs", .integer(Int64(delay.inMilliseconds.rounded()))),
          .init("reason", .string(reason)),
        ])
    case .startRefused(let reason): self.init("startRefused", [.init("reason", .string(reason))])
    case .ingestStatusChanged(let primary, let backup):
      self.init(
        "ingestStatusChanged",
        [
          .init("primaryLive", primary.map { .bool($0) } ?? .null),
          .init("backupLive", backup.map { .bool($0) } ?? .null),
        ])
    case .awaitingReady(let trouble):
      self.init("awaitingReady", [.init("trouble", trouble.map { .string($0) } ?? .null)])
    case .running: self.init("running")
    case .left(let reason): self.init("left", [.init("reason", .string(reason))])
    case .streamEnded: self.init("streamEnded")
    default: return nil
    }
  }
}
