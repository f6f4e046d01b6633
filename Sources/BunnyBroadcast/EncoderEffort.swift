package import BunnyMedia

/// How much of the processor the encoder may take for its picture, from the least to the most.
package enum EncoderEffort: Int, Sendable, CaseIterable, Comparable {
  case lightest, lighter, light, medium, better, best

  package static func < (one: EncoderEffort, other: EncoderEffort) -> Bool {
    one.rawValue < other.rawValue
  }

  /// x264's preset.
  private var preset: String {
    switch self {
    case .lightest: "ultrafast"
    case .lighter: "superfast"
    case .light: "veryfast"
    case .medium: "faster"
    case .better: "fast"
    case .best: "medium"
    }
  }

  package func apply(to settings: inout VideoEncoder.Settings) { settings.preset = preset }
}
