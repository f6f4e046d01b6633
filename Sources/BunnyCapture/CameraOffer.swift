public import BunnyMedia

/// Everything that a camera says it can do in one pixel format.
public struct CameraOffer: Equatable, Sendable {
  public let format: FourCC
  /// The driver's own words: "Motion-JPEG".
  public let words: String
  public let sizes: [CameraSizes]

  package init(_ format: FourCC, words: String = "", _ sizes: [CameraSizes]) {
    self.format = format
    self.words = words
    self.sizes = sizes
  }
}

/// One size, or a range of them, with its frame rates.
public struct CameraSizes: Equatable, Sendable {
  /// Pixels; one number where there is no choice.
  public let width: ClosedRange<Int>
  public let height: ClosedRange<Int>
  /// Sizes lie this many pixels apart.
  public let widthStep: Int
  public let heightStep: Int
  public let rates: CameraRates

  package init(
    width: ClosedRange<Int>, height: ClosedRange<Int>, widthStep: Int = 1, heightStep: Int = 1,
    _ rates: CameraRates
  ) {
    self.width = width
    self.height = height
    self.widthStep = max(1, widthStep)
    self.heightStep = max(1, heightStep)
    self.rates = rates
  }

  /// One size, with frames a second.
  package init(_ width: Int, _ height: Int, _ rates: CameraRates) {
    self.init(width: width...width, height: height...height, rates)
  }

  /// The size in it that is nearest to the one that is wanted, and covers it if one does.
  package func nearest(width wanted: Int, height wantedHeight: Int) -> (width: Int, height: Int) {
    (
      Self.nearest(wanted, in: width, step: widthStep),
      Self.nearest(wantedHeight, in: height, step: heightStep)
    )
  }

  private static func nearest(_ wanted: Int, in range: ClosedRange<Int>, step: Int) -> Int {
    let steps = (max(wanted, range.lowerBound) - range.lowerBound + step - 1) / step
    let last = (range.upperBound - range.lowerBound) / step
    return range.lowerBound + min(steps, last) * step
  }
}

/// Frames a second that a camera can be asked for.
public enum CameraRates: Equatable, Sendable {
  /// The driver does not say.
  case unknown
  case these([Timebase])
  case range(ClosedRange<Double>)

  /// The ones of them that may suit `wanted`.
  func candidates(for wanted: Double) -> [Timebase?] {
    switch self {
    case .unknown, .these([]): [nil]
    case .these(let rates): rates
    case .range(let range):
      [Timebase.frameRate(min(max(wanted, range.lowerBound), range.upperBound))]
    }
  }
}

extension CameraRates: CustomStringConvertible {
  /// As people write them: `30, 29.97, 15`.
  public var description: String {
    switch self {
    case .unknown: "?"
    case .these(let rates): rates.map { $0.decimal }.joined(separator: ", ")
    case .range(let range):
      "\(Timebase.frameRate(range.lowerBound).decimal) to "
        + Timebase.frameRate(range.upperBound).decimal
    }
  }
}

extension CameraSizes: CustomStringConvertible {
  /// `1280x720`, or `32x32 to 1920x1080`.
  public var description: String {
    let least = "\(width.lowerBound)x\(height.lowerBound)"
    let most = "\(width.upperBound)x\(height.upperBound)"
    return least == most ? least : "\(least) to \(most)"
  }
}

extension Timebase {
  /// A frame rate with at most two decimals: 29.97, 30.
  public var decimal: String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
