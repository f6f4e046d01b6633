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
    let hasVMAF = withVMAF && FileManager.default.isExecutableFile(atPath: meter)
    let ssim = try await compare("ssim", "SSIM Y:", coded, reference, frames)
    let psnr = try await compare("psnr", "PSNR y:", coded, reference, frames)
    let vmaf =
      hasVMAF
      ? try await compare("libvmaf=n_subsample=3", "VMAF score: ", coded, reference, frames, meter)
      : nil
    withExtendedLifetime(folder) {}
    return Self(ssim: ssim, psnr: psnr, vmaf: vmaf)
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
      let likeness = try await compare(
        "ssim", "SSIM Y:", coded, reference, frames, from: (30, 30 + missing))
      best = max(best, likeness)
    }
    withExtendedLifetime(folder) {}
    return best
  }

  /// - Returns: the number behind `word`; of SSIM, the dB behind it.
  private static func compare(
    _ filter: String, _ word: String, _ coded: String, _ reference: String, _ frames: Int,
    _ command: String = "ffmpeg", from first: (coded: Int, reference: Int) = (0, 0)
  ) async throws -> Double {
    let outcome = try await Running.toEnd(
      command,
      words(
        """
        -hide_banner -nostdin -nostats -i \(coded) -stream_loop -1 -i \(reference) -lavfi
        [0:v]trim=start_frame=\(first.coded),settb=1/30,setpts=N[coded];\
        [1:v]trim=start_frame=\(first.reference),settb=1/30,setpts=N[original];\
        [coded][original]\(filter)
        -frames:v \(frames) -f null -
        """), atMost: 600)
    guard outcome.exitStatus == 0,
      let text = outcome.standardError.range(of: word, options: .backwards).map({
        outcome.standardError[$0.upperBound...].prefix { $0 != "U" && $0 != "u" && $0 != "\n" }
      }),
      let number = Double(
        word == "SSIM Y:"
          ? text.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
          : text.prefix { $0 != " " })
    else { throw BenchFailure(70, "\(command) could not compare \(reference): \(outcome)") }
    return number
  }
}
