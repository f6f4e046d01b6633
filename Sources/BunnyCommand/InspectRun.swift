import BunnyInspect
import BunnyMedia
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
    report = try inspect(options.location, secondsLimit: options.seconds) {
      interruption.hasCome
    }
  } catch {
    throw CommandError(ExitCode(error), error.description)
  }
  try printOut(options.asJSON ? report.json + "\n" : report.text)
}

/// The first signal to end lets the report be printed, a second one does not wait for it.
private final class Interruption: Sendable {
  private let rule = Mutex(EndingRule())
  private let wasAsked = Atomic(false)

  var hasCome: Bool { wasAsked.load(ordering: .relaxed) }

  func received(_ number: Int32) {
    switch rule.withLock({ $0.received(number) }) {
    case .end: wasAsked.store(true, ordering: .relaxed)
    case .die: SignalWatch.die(number)
    case .nothing where number == SIGTSTP: SignalWatch.deliver(SIGTSTP)
    case .nothing: break
    }
  }
}
