package import BunnyMedia
package import BunnySystem

/// Whether the H.264 that a camera has coded itself may go to the ingest as it is, judged by what really
/// comes, picture by picture. Once it does not suit it is encoded anew, until its parameter sets change or
/// the camera was away.
package struct Passthrough {
  package enum Step: Equatable {
    /// It cannot be decoded: it comes before a keyframe, or after a picture that is missing.
    case wait
    case pass
    /// From this one on they are encoded anew, and why: "it is …".
    case refuse(String)
    case reencode
  }

  /// Nanoseconds from one keyframe to the next: a player begins at one. And what clocks may be off.
  package static let longestGOP: Int64 = .seconds(4) + .milliseconds(200)
  /// Nanoseconds over which the bit rate is measured.
  package static let window: Int64 = .seconds(4)
  /// The part of the quality's bit rate that it may have.
  package static let tolerance = 1.15

  private let width: Int
  private let height: Int
  private let bitrate: Int
  private var number: Int?
  private var keyframe: MonotonicTime?
  private var sizes: [(time: MonotonicTime, bytes: Int)] = []
  /// What was refused.
  private var refused: ParameterSets?

  /// - Parameters:
  ///   - width: pixels of the quality; height likewise.
  ///   - bitrate: the quality's, bit/s.
  package init(width: Int, height: Int, bitrate: Int) {
    (self.width, self.height, self.bitrate) = (width, height, bitrate)
  }

  package mutating func judge(_ picture: CodedFacts, at time: MonotonicTime) -> Step {
    defer { number = picture.number }
    if let refused {
      guard picture.isKeyframe, picture.parameters != refused else { return .reencode }
      self = Self(width: width, height: height, bitrate: bitrate)
    }
    if picture.isKeyframe {
      keyframe = time
    } else if number.map({ picture.number != $0 + 1 }) ?? true {
      keyframe = nil
    }
    guard let keyframe else { return .wait }
    note(picture.size, at: time)
    guard let reason = reason(picture, sinceKeyframe: time - keyframe) else { return .pass }
    refused = picture.parameters
    return .refuse(reason)
  }

  private func reason(_ picture: CodedFacts, sinceKeyframe age: Int64) -> String? {
    if picture.width != width || picture.height != height {
      return "it is \(picture.width)x\(picture.height), and the quality \(width)x\(height)"
    }
    if !["yuv420p", "yuvj420p"].contains(picture.format) {
      return "it is \(picture.format), and players need 4:2:0 with 8 bits"
    }
    if picture.isInterlaced { return "it is interlaced" }
    if picture.isBFrame { return "it has B-frames, whose times are not known" }
    if age > Self.longestGOP { return "it has had no keyframe for more than 4 s" }
    if let measured, measured > Double(bitrate) * Self.tolerance {
      return
        "it has \(Self.kilobits(measured)) kbit/s, and the quality \(Self.kilobits(Double(bitrate)))"
    }
    return nil
  }

  private static func kilobits(_ bitrate: Double) -> Int { Int((bitrate / 1000).rounded()) }

  private mutating func note(_ bytes: Int, at time: MonotonicTime) {
    sizes.append((time, bytes))
    while sizes.count > 2, time - sizes[1].time >= Self.window { sizes.removeFirst() }
  }

  /// Bit/s over the last four seconds; nil before.
  private var measured: Double? {
    guard let first = sizes.first, let last = sizes.last, last.time - first.time >= Self.window
    else { return nil }
    let bytes = sizes.dropFirst().reduce(0) { $0 + $1.bytes }
    return Double(bytes) * 8e9 / Double(last.time - first.time)
  }
}
