import Foundation

/// What this machine has of hardware that encodes.
public enum EncodingHardware {
  /// How the reason begins why an encoder in hardware does not work: its device is not there, or it is, as a webcam's
  /// `/dev/video0` may be, and does not do.
  ///
  /// - Parameter encoder: `h264_vaapi` or `h264_v4l2m2m`.
  public static func refusal(of encoder: String) -> String {
    let (folder, prefix) =
      encoder == "h264_vaapi" ? ("/dev/dri", "renderD") : ("/dev", "video")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { $0.hasPrefix(prefix) }
      ? "it cannot be opened or fails (" : "there is no /dev/"
  }
}
