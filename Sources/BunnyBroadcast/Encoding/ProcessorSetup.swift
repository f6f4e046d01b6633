import BunnyMedia
import BunnySystem

extension ProcessorRule {
  /// What does not change while it runs.
  package struct Setup: Equatable, Sendable {
    /// Pictures a second, and how high they are.
    package var framesPerSecond: Double
    package var height: Int
    /// Processors.
    package var processors: Double
    /// What a picture may be expected to take of one processor where ``EncoderEffort/cost`` is 1; nanoseconds.
    package var expected: Double
    /// Threads that the quality file insists on; nil: ours to choose.
    package var threads: Int?

    package init(
      framesPerSecond: Double, height: Int, processors: Double, expected: Double,
      threads: Int? = nil
    ) {
      (self.framesPerSecond, self.height) = (framesPerSecond, height)
      (self.processors, self.expected, self.threads) = (processors, expected, threads)
    }

    /// Nanoseconds from one picture to the next.
    var frame: Double { 1e9 / framesPerSecond }

    /// Processors that the step may be expected to keep busy.
    func expectedLoad(_ step: EncodingStep) -> Double { expected * step.cost / frame }

    /// - Parameter load: processors that the step keeps busy now. A still scene may begin to move, so it has
    ///   threads for what may be expected too.
    func threads(for step: EncodingStep, load: Double = 0, of processors: Double) -> Int {
      threads
        ?? EncoderThreads.count(
          load: max(load, expectedLoad(step)), processors: processors, height: height)
    }
  }
}

extension ProcessorRule.Setup {
  /// What this processor may be expected to do; cautious, as it is soon measured.
  init(_ quality: VideoEncoder.Settings, _ facts: ProcessorFacts, processors: Double) {
    let pixels = Double(quality.width * quality.height)
    self.init(
      framesPerSecond: quality.frameRate.value, height: quality.height, processors: processors,
      expected: pixels * facts.nanosecondsPerPixel,
      threads: quality.threads > 0 ? quality.threads : nil)
  }
}

extension ProcessorFacts {
  /// What x264's `veryfast` takes of one core, for an ``EncoderEffort/cost`` of 1: 14 were measured on a server of 2024 with AVX-512, for a film.
  /// The others are guesses: nothing else was at hand.
  package var nanosecondsPerPixel: Double {
    let flags = flags
    if flags.contains("avx2") { return 20 }
    if flags.contains("sse2") { return 50 }
    guard flags.contains("asimd") else { return 200 }
    return 120 / max(1, gigahertz ?? 1.5)
  }
}
