import BunnyRTMP
import BunnySystem
import Synchronization

/// What the publish lane is told, in order, by its connections and by others. Any thread.
final class Inbox: Sendable {
  enum Message: Sendable {
    case event(Failover.LegID, RTMPEvent)
    /// nil: it was to end.
    case ended(Failover.LegID, RTMPError?)
    case input(Failover.Input)
    /// In place of the lane's own, and as many: for connections that are opened from now on.
    case ingests([Ingest])
    /// No more tries; `abandoning`: also end connections that no ingest has accepted.
    case endTries(abandoning: Bool)
    /// Take leave, within a second.
    case close
  }

  private let messages = Mutex<[Message]>([])
  let wake = WakeEvent()

  func put(_ message: Message) {
    messages.withLock { $0.append(message) }
    wake.signal()
  }

  /// Waits for something until `deadline`; empty when nothing came.
  func take(until deadline: MonotonicTime) -> [Message] {
    while true {
      let taken = messages.withLock { messages in
        defer { messages = [] }
        return messages
      }
      if !taken.isEmpty || !wake.wait(until: deadline) { return taken }
    }
  }
}
