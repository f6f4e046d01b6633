import BunnyInspect
import BunnySystem
import Foundation
import Support
import Testing

@Suite(
  .enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"),
  .enabled(if: Chromium.isAvailable, "needs Chromium"))
struct PageTests {
  @Test func `a browser shows the moving picture`() async throws {
    let folder = try TemporaryDirectory()
    let sandbox = try await SandboxProcess.start("--ready-after", "0")
    let publish = try SmallPublish()
    let url = "\(sandbox.facts.primaryIngestUrl)/\(sandbox.facts.streamKey)"
    let publisher = try Command.start(publish.arguments(to: url))
    try await sandbox.logs("media flows into the primary ingest")
    _ = try await sandbox.api("PUT", "/start")
    let browser = try await onThread("chromium") { try Chromium(sandbox.facts.pageUrl) }
    let title = try await onThread("chromium") {
      try browser.value(of: loaded)
      try browser.value(of: "document.querySelector('video').controls = false")  // they fade slowly
      try browser.value(of: played(1))
      try browser.save("video", as: folder.file("shot1.png"))
      try browser.value(of: played(2))
      try browser.save("video", as: folder.file("shot2.png"))
      return try browser.value(of: "document.title + ', ' + document.body.innerText") as? String
    }
    #expect(title?.hasPrefix("bunny-sandbox, bunny-sandbox") == true)
    #expect(title?.contains("Live from the primary ingest") == true)
    try await browser.end()
    publisher.send(SIGTERM)
    _ = try await publisher.outcome()
    try await sandbox.end()

    let shots = folder.file("shots.mkv")
    let made = try await ChildProcess.run(
      "ffmpeg",
      [
        "-nostdin", "-v", "error", "-framerate", "1", "-i", folder.file("shot%d.png"), "-vf",
        "scale=640:360,format=yuv420p", "-c:v", "libx264", "-qp", "10", shots,
      ])
    #expect(made.exitStatus == 0, "\(made)")
    let test = try #require(try inspect(shots).testPicture)
    #expect(test.framesRead == 2 && test.lastNumber - test.firstNumber >= 15)
  }
}

private let loaded = """
  new Promise(resolve => {
    const look = () => document.querySelector("video") ? resolve() : setTimeout(look, 50)
    look()
  })
  """

/// A script that waits until the page's video has shown that many more seconds.
private func played(_ seconds: Int) -> String {
  """
  new Promise(resolve => {
    const video = document.querySelector("video")
    let first
    const shown = (_, frame) => {
      first ??= frame.mediaTime
      if (frame.mediaTime - first >= \(seconds)) resolve()
      else video.requestVideoFrameCallback(shown)
    }
    video.requestVideoFrameCallback(shown)
  })
  """
}
