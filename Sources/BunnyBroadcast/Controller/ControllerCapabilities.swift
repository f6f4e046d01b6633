import BunnyCapture
import BunnyMedia
import BunnySystem
import Synchronization

/// What this machine, this build and a configuration can do.
public struct BroadcastCapabilities: Sendable, Codable, Equatable {
  /// There are several cameras to go through.
  public var canRotateCamera: Bool
  /// The broadcast goes to a live stream of Bunny's, which it can end for good.
  public var canEndStream: Bool
  /// This machine's cameras: node and name.
  public var cameras: [String]
  /// This machine's microphones: ALSA's device and name.
  public var microphones: [String]
  /// FFmpeg's names of the H.264 encoders that work here, the usual one first: each has encoded a few
  /// pictures.
  public var encoders: [String]
  /// Why the others do not, by their names.
  public var encoderProblems: [String: String]
  /// How an ingest can be spoken to.
  public var protocols = ["rtmp", "rtmps"]
  /// This library's version, as in `0.1.0`.
  public var version = bunnyBroadcastVersion
}

extension ControllerCore {
  /// Looks at the machine; takes a second or so, and blocks.
  package func capabilities() -> BroadcastCapabilities {
    let setting = state.withLock { $0.rules.setting }
    var (encoders, problems) = ([String](), [String: String]())
    for kind in VideoEncoder.Kind.allCases {
      var settings = configuration.quality.videoSettings
      // x264's own delay and look-ahead say nothing of whether it works.
      (settings.kind, settings.lookahead, settings.threads) = (kind, 0, 1)
      do throws(EncoderProbe.Problem) {
        _ = try EncoderProbe(settings)
        encoders.append(kind.rawValue)
      } catch { problems[kind.rawValue] = error.description }
    }
    return BroadcastCapabilities(
      canRotateCamera: setting.cameras.count > 1, canEndStream: setting.hasStream,
      cameras: VideoNode.all().filter { NodeKind($0).isCamera }.map { "\($0.path) \($0.card)" },
      microphones: Microphones.all().map { "\($0.pcm) \($0.name)" }, encoders: encoders,
      encoderProblems: problems)
  }
}
