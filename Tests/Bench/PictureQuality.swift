import BunnyRTMP
import Foundation
import Support

/// How near a coded picture is to its original, all of its frames together.
struct PictureQuality {
  /// Of luma, in dB: 20 means that a hundredth of the likeness is lost, 30 a thousandth.
  let ssim: Double
  /// Of luma, in dB.
  let psnr: Double
  /// 0 to 100, where somebody packages what measures it.
  let vmaf: Double?

  /// Debian's ffmpeg has no VMAF; that of a Python package has it.
  private static let meter = ".cache/ffmpeg-vmaf"
  static var hasVMAF: Bool { FileManager.default.isExecutableFile(atPath: meter) }

  /// - Parameters:
  ///   - tags: of the picture, with its sequence header.
  ///   - reference: begins with the same picture; begins again when it ends.
  static func of(
    _ tags: [RTMPTag], against reference: String, withVMAF: Bool = false
  ) async throws -> Self {
    let folder = try TemporaryDirectory()
    let coded = folder.file("coded.flv")
    try FLVFile.write(tags, to: coded)
    let frames = tags.count { !$0.isSequenceHeader }
    let withVMAF = withVMAF && hasVMAF
    // One after the other passes the coded picture on: it is decoded once for all.
    let filters =
      withVMAF
      ? "[original]split=3[a][b][c];[coded][a]ssim[d];[d][b]psnr[e];[e][c]libvmaf=n_subsample=3"
      : "[original]split[a][b];[coded][a]ssim[d];[d][b]psnr"
    let words = try await compare(
      filters, coded, reference, frames, withVMAF ? meter : "ffmpeg")
    withExtendedLifetime(folder) {}
    return Self(
      ssim: try ssim(words), psnr: try number("PSNR y:", words),
      vmaf: withVMAF ? try number("VMAF score: ", words) : nil)
  }

  /// SSIM alone, of what was broadcast: a picture or two may be missing at its beginning, whose first second
  /// is not looked at.
  static func ssim(ofBroadcast tags: [RTMPTag], against reference: String) async throws -> Double {
    let folder = try TemporaryDirectory()
    let coded = folder.file("coded.flv")
    try FLVFile.write(tags, to: coded)
    let frames = tags.count { !$0.isSequenceHeader } - 30
    var best = -Double.infinity
    for missing in 0...3 {
      let words = try await compare(
        "[coded][original]ssim", coded, reference, frames, from: (30, 30 + missing))
      best = max(best, try ssim(words))
    }
    withExtendedLifetime(folder) {}
    return best
  }

  /// - Parameter filters: of `[coded]` and `[original]`.
  /// - Returns: what ffmpeg says.
  private static func compare(
    _ filters: String, _ coded: String, _ reference: String, _ frames: Int,
    _ command: String = "ffmpeg", from first: (coded: Int, reference: Int) = (0, 0)
  ) async throws -> String {
    // Both end: newer ffmpegs filter on for a while when they have what was asked for.
    func part(_ first: Int) -> String { "trim=start_frame=\(first):end_frame=\(first + frames)" }
    let outcome = try await Running.toEnd(
      command,
      words(
        """
        -hide_banner -nostdin -nostats -i \(coded) -stream_loop -1 -i \(reference) -lavfi
        [0:v]\(part(first.coded)),settb=1/30,setpts=N[coded];\
        [1:v]\(part(first.reference)),settb=1/30,setpts=N[original];\
        \(filters)
        -frames:v \(frames) -f null -
        """), atMost: 600)
    guard outcome.exitStatus == 0 else {
      throw BenchFailure(70, "\(command) could not compare \(reference): \(outcome)")
    }
    return outcome.standardError
  }

  /// In "SSIM Y:0.987654 (19.084532) U:…" the dB.
  private static func ssim(_ words: String) throws -> Double {
    guard let place = words.ranges(of: "SSIM Y:").last else {
      throw BenchFailure(70, "ffmpeg did not say SSIM: \(words.suffix(1000))")
    }
    let rest = words[place.upperBound...].drop { $0 != "(" }
    guard let decibels = Double(rest.dropFirst().prefix { $0 != ")" }) else {
      throw BenchFailure(70, "ffmpeg said SSIM Y:\(rest.prefix(40))")
    }
    return decibels
  }

  /// - Returns: what is behind the last `word`.
  private static func number(_ word: String, _ words: String) throws -> Double {
    let rest = words.ranges(of: word).last.map { words[$0.upperBound...] } ?? ""
    guard let number = Double(rest.prefix { !$0.isWhitespace && $0 != ")" }) else {
      throw BenchFailure(70, "ffmpeg did not say \(word): \(words.suffix(1000))")
    }
    return number
  }
}
