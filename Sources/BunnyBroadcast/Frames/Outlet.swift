package import BunnyMedia
import BunnySystem
import Synchronization

/// Where both lanes hand over their tags: through the interleaver into the tag log. Any thread.
package final class Outlet: Sendable {
  /// Milliseconds that all times move by, so that none is negative: B-frames are decoded before they
  /// are shown.
  package let shift: Int64
  let log: TagLog
  private let state: Mutex<State>

  private struct State {
    var interleaver: Interleaver
    var open: Set<MediaTag.Kind> = [.video, .audio]
    var madeBytes: Int64 = 0
  }

  package init(log: TagLog, shift: Int64, longestHold: Int64) {
    self.log = log
    self.shift = shift
    state = Mutex(State(interleaver: Interleaver(longestHold: longestHold)))
  }

  package func offer(_ tag: MediaTag) {
    state.withLock { state in
      state.madeBytes += Int64(tag.body.count)
      state.interleaver.offer(tag, at: .now)
      log.append { state.interleaver.next() }
    }
  }

  /// What both lanes have handed over so far.
  var madeBytes: Int64 { state.withLock { $0.madeBytes } }

  /// A lane has ended; the log is finished with the second one.
  func finish(_ kind: MediaTag.Kind) {
    state.withLock { state in
      state.interleaver.finish(kind, at: .now)
      log.append { state.interleaver.next() }
      state.open.remove(kind)
      if state.open.isEmpty { log.finish() }
    }
  }
}
