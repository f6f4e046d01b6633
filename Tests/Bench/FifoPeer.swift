import BunnyRTMP
import BunnySystem
import Foundation
import Support

/// `ffmpeg` with its fifo muxer, which reconnects to the same address.
struct FifoPeer {
  /// Milliseconds from a reset until the same ingest has the next session's first keyframe.
  func reset(trials: Int) async throws -> [Double] {
    let ingest = try ScriptedIngest()
    let ffmpeg = try ChildProcess("ffmpeg", arguments(ingest.url()))
    defer { ffmpeg.send(SIGKILL) }
    var milliseconds: [Double] = []
    for trial in 0..<trials {
      let frames = Int.random(in: 5...40)
      _ = try await ingest.firstKeyframe(atLeast: trial + 1)
      try await ingest.waitUntil { visits in
        visits.last { !$0.media.isEmpty }!.media.count { $0.kind == .video } >= frames
      }
      let moment = ingest.command(.reset)
      let arrival = try await ingest.firstKeyframe(atLeast: trial + 2)
      milliseconds.append(Double(arrival - moment) / 1e6)
    }
    return milliseconds
  }

  private func arguments(_ url: String) -> [String] {
    [
      "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-f",
      "lavfi",
      "-i", "sine=r=48000", "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-preset", "ultrafast",
      "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-g", "30", "-b:v", "400k", "-c:a", "aac",
      "-flags", "+global_header", "-f", "fifo", "-fifo_format", "flv", "-attempt_recovery", "1",
      "-recovery_wait_time", "0", "-drop_pkts_on_overflow", "1", "-restart_with_keyframe", "1", url,
    ]
  }
}
