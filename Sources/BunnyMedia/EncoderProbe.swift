import BunnySystem
import CBunnyFFmpeg
import FoundationEssentials

/// Whether an encoder does what it promises: found out by encoding a second of noise with it.
public struct EncoderProbe {
  /// Why it is not used, for a sentence: "it made no keyframe of picture 8, which was to be one".
  public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// H.264's, in Annex B.
  public let parameterSets: [UInt8]

  package static let keyframes: Set<Int64> = [0, 8, 19]

  /// Encodes. Takes a part of a second where there is such hardware.
  ///
  /// - Throws: ``Problem``.
  public init(_ settings: VideoEncoder.Settings) throws(Problem) {
    let packets: [Packet]
    var sets: [UInt8]
    do throws(AVFailure) {
      let encoder = try VideoEncoder(settings)
      sets = encoder.parameters.extradata
      packets = try Self.encode(with: encoder, settings)
    } catch {
      let reason = Self.missing(settings.kind) ?? "it cannot be opened or fails (\(error))"
      throw Problem(description: reason)
    }
    if sets.isEmpty { sets = packets.first?.bytes ?? [] }
    if let problem = Self.problem(packets, parameterSets: sets, settings) { throw problem }
    parameterSets = ParameterSets(AnnexB.units(in: sets)).annexB
  }

  /// What there has to be, and is not.
  private static func missing(_ kind: VideoEncoder.Kind) -> String? {
    let (folder, prefix, what): (String, String, String)
    switch kind {
    case .x264: return nil
    case .vaapi: (folder, prefix, what) = ("/dev/dri", "renderD", "graphics processor")
    case .v4l2m2m: (folder, prefix, what) = ("/dev", "video", "codec of the kernel's")
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    guard !names.contains(where: { $0.hasPrefix(prefix) }) else { return nil }
    return "there is no \(folder)/\(prefix)…, and so no \(what) that this program may use"
  }

  /// - Parameter keyframes: that are asked for.
  package static func encode(
    with encoder: VideoEncoder, _ settings: VideoEncoder.Settings,
    keyframes: Set<Int64> = keyframes
  ) throws(AVFailure) -> [Packet] {
    let pool = PicturePool(width: settings.width, height: settings.height)
    var packets: [Packet] = []
    for number in 0..<count(settings) {
      packets += try encoder.encode(
        noise(number, pool), at: number, forcingKeyframe: keyframes.contains(number))
    }
    return try packets + encoder.finish()
  }

  package static func count(_ settings: VideoEncoder.Settings) -> Int64 {
    Int64(max(24, settings.frameRate.value.rounded()))
  }

  /// Which costs any encoder as much as it may spend.
  package static func noise(_ number: Int64, _ pool: PicturePool) -> Picture {
    var dice = UInt32(truncatingIfNeeded: number &+ 1) &* 2_654_435_761
    return pool.picture(time: .now) { y, u, v in
      for row in 0..<y.height {
        for column in 0..<y.width {
          dice = dice &* 1_664_525 &+ 1_013_904_223
          y.bytes[row * y.stride + column] = UInt8(64 + dice >> 26)
        }
      }
      for plane in [u, v] { plane.bytes.update(repeating: 128, count: plane.stride * plane.height) }
    }
  }

  /// What is wrong with what came out.
  ///
  /// - Parameter parameterSets: Annex B, or more that holds them.
  package static func problem(
    _ packets: [Packet], parameterSets: [UInt8], _ settings: VideoEncoder.Settings
  ) -> Problem? {
    let sets = ParameterSets(AnnexB.units(in: parameterSets))
    guard sets.isWhole else { return Problem(description: "it tells no parameter sets") }
    // A lower one is played by whoever plays the one asked for.
    let profile = Int(sets.sequence[1])
    guard [66, 77, 100].contains(profile), profile <= settings.profileNumber else {
      return Problem(description: "its profile is \(profile), and not \(settings.profileNumber)")
    }
    let count = count(settings)
    guard packets.map(\.pts) == (0..<count).map({ $0 }) else {
      return Problem(
        description: "of \(count) pictures \(packets.count) came out, or not in their order")
    }
    for packet in packets
    where keyframes.contains(packet.pts) && !(packet.isKeyframe && packet.isIDR) {
      return Problem(
        description: "it made no keyframe of picture \(packet.pts), which was to be one")
    }
    return rateProblem(packets, settings)
  }

  private static func rateProblem(
    _ packets: [Packet], _ settings: VideoEncoder.Settings
  ) -> Problem? {
    let seconds = Double(packets.count) / settings.frameRate.value
    let rate = Double(packets.reduce(0) { $0 + $1.size }) * 8 / seconds
    // A buffer may be emptied once; hardware has one of its own of about a second.
    let most = Double(settings.bitrate) * (1 + max(1, settings.bufferSeconds) / seconds) * 1.2
    let least = Double(settings.bitrate) / 4
    guard rate < least || rate > most else { return nil }
    return Problem(
      description: "it made \(Int(rate / 1000)) kbit/s of noise, and was to make "
        + "\(settings.bitrate / 1000)")
  }
}

extension Packet {
  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: raw.pointee.data, count: size)) }

  /// Nothing before it is needed to decode it, and what comes after it.
  var isIDR: Bool { AnnexB.units(in: bytes).contains { $0[0] & 0x1F == 5 } }
}

extension ParameterSets {
  init(_ units: [[UInt8]]) {
    self.init()
    take(units)
  }

  var annexB: [UInt8] { ([sequence] + pictures).flatMap { [0, 0, 0, 1] + $0 } }
}
