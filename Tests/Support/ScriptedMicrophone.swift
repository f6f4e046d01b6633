public import BunnyCapture
public import BunnyMedia
import BunnySystem
import Synchronization

/// A tone of a microphone that is not there between two moments, in seconds since its beginning.
public final class ScriptedMicrophone: SampleSource {
  private let tone = Tone()
  private let absence: Range<Double>
  private let start = Mutex<MonotonicTime?>(nil)

  public init(absentFrom absence: Range<Double>) { self.absence = absence }

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
    return tone.next()
  }

  public func cancel() { tone.cancel() }
}
