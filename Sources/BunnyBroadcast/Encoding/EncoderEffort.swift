package import BunnyMedia

/// How much of the processor the encoder may take for its picture, from the least to the most.
public enum EncoderEffort: Int, Sendable, CaseIterable, Comparable {
  case lightest, lighter, light, medium, good, better, best

  /// Whether `one` takes less than `other`.
  public static func < (one: EncoderEffort, other: EncoderEffort) -> Bool {
    one.rawValue < other.rawValue
  }

  /// - Parameter name: as it is written here, in small letters.
  public init?(named name: String) {
    guard let effort = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = effort
  }

  /// What x264 is told: a preset and what is better than it, for most pictures, at the same cost; what that
  /// takes of the processor, where `veryfast` without look-ahead takes 1. presets/README.md has the table that both
  /// were taken from.
  private var recipe: (preset: String, options: [String: String], cost: Double) {
    switch self {
    case .lightest: ("ultrafast", ["aq-mode": "1"], 0.36)
    case .lighter: ("superfast", ["partitions": "none", "cabac": "0"], 0.51)
    case .light: ("superfast", ["partitions": "i8x8"], 0.59)
    case .medium: ("superfast", ["partitions": "i8x8", "trellis": "1"], 0.75)
    case .good: ("superfast", ["partitions": "i8x8", "trellis": "1", "subme": "2"], 0.91)
    case .better:
      (
        "veryfast",
        ["partitions": "i8x8,p8x8", "trellis": "1", "subme": "3", "me": "dia"], 1.13
      )
    case .best:
      ("veryfast", ["partitions": "i8x8,p8x8", "trellis": "1", "subme": "4"], 1.31)
    }
  }

  /// Processor time for the same pictures, where x264's `veryfast` without look-ahead takes 1.
  package var cost: Double { recipe.cost }

  /// What the quality file says of x264's own options stays.
  package func apply(to settings: inout VideoEncoder.Settings) {
    let recipe = recipe
    settings.preset = recipe.preset
    // Where there is look-ahead, it pays to know how long each block will be of use. To look for what little
    // could be left out of a block takes longer than to encode it.
    let options = recipe.options.merging(["mbtree": "1", "weightp": "0", "dct-decimate": "0"]) {
      $1
    }
    settings.x264 = options.merging(settings.x264) { $1 }
  }

  /// The same of one of x264's presets as it is.
  package static func cost(ofPreset preset: String) -> Double {
    switch preset {
    case "ultrafast": 0.42
    case "superfast": 0.6
    case "veryfast": 1.01
    case "faster": 1.51
    case "fast": 2.1
    case "medium": 2.6
    case "slow": 4
    case "slower": 8
    case "veryslow": 14
    default: 40  // placebo
    }
  }
}

/// How many threads encode one picture, each a slice of it: x264's frame threads would add a picture of
/// delay each. One, where one core can do it, as two slices cost 0.15 dB (SSIM).
package enum EncoderThreads {
  /// Of one core, what a thread may be expected to need.
  private static let share = 0.6
  /// A slice less high costs too much of the picture.
  private static let leastRows = 180

  /// - Parameters:
  ///   - load: processors that the pictures keep busy, by expectation.
  ///   - processors: that may be used.
  package static func count(load: Double, processors: Double, height: Int) -> Int {
    let most = min(Int(processors.rounded(.down)), height / leastRows, 8)
    return max(1, min(most, Int((load / share).rounded(.up))))
  }

  /// How many times as fast so many are: slices wait for each other.
  package static func speed(_ count: Int) -> Double { count == 1 ? 1 : 0.8 * Double(count) }
}
