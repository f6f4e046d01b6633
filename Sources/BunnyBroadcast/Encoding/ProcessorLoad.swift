import BunnySystem

/// What encoding takes of the processor, and what there is.
public struct ProcessorLoad: Sendable, Equatable {
  /// What a picture takes to be converted and encoded, in milliseconds.
  public var pictureMs: Double
  /// The time that there is from one picture to the next, in milliseconds.
  public var frameMs: Double
  /// Processors that this program keeps busy, all of it.
  public var used: Double
  /// Processors that nobody uses.
  public var free: Double
  /// Processors that this program may use.
  public var processors: Double

  public init(
    pictureMs: Double, frameMs: Double, used: Double, free: Double, processors: Double
  ) {
    (self.pictureMs, self.frameMs) = (pictureMs, frameMs)
    (self.used, self.free, self.processors) = (used, free, processors)
  }
}

/// What was measured over some time.
struct LoadSpan {
  let since: MonotonicTime
  private(set) var frames = 0
  private(set) var converting: Int64 = 0
  private(set) var encoding: Int64 = 0
  /// Pictures that were left out.
  private(set) var leftOut = 0
  private(set) var processors = 1.0
  private var processorTime: Int64 = 0
  private var elapsed: Int64 = 0
  private var idle: Double?  // processors times nanoseconds

  init(since: MonotonicTime) { self.since = since }

  mutating func add(_ sample: ProcessorRule.Sample, after last: MonotonicTime) {
    let time = max(1, sample.time - last)
    elapsed += time
    frames += sample.frames
    leftOut += sample.leftOut
    converting += sample.converting
    encoding += sample.encoding
    processorTime += sample.processorTime
    processors = sample.processors
    if let now = sample.idle { idle = (idle ?? 0) + now * Double(time) }
  }

  private var used: Double { Double(processorTime) / Double(max(1, elapsed)) }

  /// A quota may leave us less than is idle.
  var free: Double {
    let left = max(0, processors - used)
    return idle.map { min(left, $0 / Double(max(1, elapsed))) } ?? left
  }

  /// Of all threads, for encoding.
  var encodingProcessorTime: Double { Double(max(0, processorTime - converting)) }
  var encodingProcessors: Double { encodingProcessorTime / Double(max(1, elapsed)) }

  /// - Parameter frame: nanoseconds from one picture of the quality to the next.
  func load(_ frame: Double) -> ProcessorLoad {
    ProcessorLoad(
      pictureMs: Double(converting + encoding) / Double(max(1, frames)) / 1e6,
      frameMs: frame / 1e6, used: used, free: free, processors: processors)
  }
}
