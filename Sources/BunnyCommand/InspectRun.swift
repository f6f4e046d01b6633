import BunnyInspect
import BunnyMedia
import BunnySystem
import Glibc
import Synchronization

/// `inspect`: reads to the end, or to the first SIGINT and its like, and prints what was found.
func inspectMedia(_ options: InspectOptions) throws(CommandError) {
  FFmpegLog.send(.off) { _ in }  // what matters is in the report
  let interruption = Interruption()
  SignalWatch.prepare()
  SignalWatch.start { interruption.received($0) }
  let report: Report
  do throws(InspectError) {
    report = try inspect(
      options.location, secondsLimit: options.seconds, interrupter: interruption.interrupter)
  } catch {
    if let number = interruption.signal { SignalWatch.die(number) }  // there is nothing to report
    throw CommandError(ExitCode(error), error.description)
  }
  try printOut(options.asJSON ? report.json + "\n" : report.text)
}

/// The first signal to end lets the report be printed, a second one does not wait for it.
private final class Interruption: Sendable {
  let interrupter = Interrupter()
  private let state = Mutex((rule: EndingRule(), signal: Int32?.none))

  /// The first one to end.
  var signal: Int32? { state.withLock { $0.signal } }

  func received(_ number: Int32) {
    let step = state.withLock { state in
      let step = state.rule.received(number, at: .now)
      if step == .end { state.signal = number }
      return step
    }
    switch step {
    case .end: interrupter.interrupt()
    case .die: SignalWatch.die(number)
    case .nothing where number == SIGTSTP: SignalWatch.deliver(SIGTSTP)
    case .nothing: break
    }
  }
}
