import Support
import Testing

@Suite struct MissingMicrophoneTests {
  @Test func `a microphone that is not there is told of, and does not hold up the broadcast`()
    async throws
  {
    let nginx = try await NginxIngest()
    let outcome = try await Command.run([
      "publish", "--to", nginx.url(), "--video", "test", "--audio", "alsa:no such microphone",
      "--quality", "sd480", "--duration", "2", "--events", "json",
    ])
    #expect(outcome.exitStatus == 0, "\(outcome)")
    #expect(outcome.standardOutput.contains("alsa:no such microphone is not there"), "\(outcome)")
  }
}
