public import BunnyCapture
public import BunnyMedia
import BunnySystem
import Synchronization

/// A tone of a microphone that is not there between two moments, in seconds since its beginning, and
/// switched off between two others.
public final class ScriptedMicrophone: SampleSource {
  private let tone = Tone()
  private let absence: Range<Double>
  private let quiet: Range<Double>
  public let isWatched = true
  private let start = Mutex<MonotonicTime?>(nil)

  public init(absentFrom absence: Range<Double>, quietFrom quiet: Range<Double> = 0..<0) {
    (self.absence, self.quiet) = (absence, quiet)
  }

  public var timeTolerance: Int64 { tone.timeTolerance }

  public func next() throws -> Samples? {
    let now = MonotonicTime.now
    let start = start.withLock { start in
      let begun = start ?? now
      start = begun
      return begun
    }
    if absence.contains(Double(now - start) / 1e9) {
      throw SourceError.lost("hw:7", reason: "it was unplugged")
    }
    guard let run = tone.next() else { return nil }
    guard quiet.contains(Double(now - start) / 1e9) else { return run }
    return Samples(time: run.time, count: run.count) { left, right in
      for index in 0..<left.count { (left[index], right[index]) = (0, 0) }
    }
  }

  public func explainSilence(_ tell: @escaping @Sendable (String) -> Void) {
    tell("its switch is off")
  }

  public func cancel() { tone.cancel() }
}
