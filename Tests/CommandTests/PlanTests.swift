import BunnyBroadcast
import BunnyCapture
import BunnyCommand
import BunnyMedia
import BunnyRTMP
import Foundation
import Support
import Testing

/// From options to what the library is asked to do.
struct PlanTests {
  private func configuration(
    warn: (String) -> Void = { _ in }, _ change: (inout PublishOptions, inout IngestOptions) -> Void
  ) throws(CommandError) -> BroadcastConfiguration {
    var ingests = IngestOptions(to: PublishURL("rtmp://host/app/key"))
    var options = PublishOptions(.ingest(ingests))
    change(&options, &ingests)
    return try options.configuration(to: ingests, warn: warn)
  }

  private func refusal(
    _ change: (inout PublishOptions, inout IngestOptions) -> Void
  ) -> CommandError? {
    do throws(CommandError) {
      _ = try configuration(change)
      return nil
    } catch {
      return error
    }
  }

  @Test func `options become a configuration`() throws {
    let configuration = try configuration { options, ingests in
      options.quality = "hd720"
      options.isPortrait = true
      options.fillsUp = true
      options.cpu = .lighter
      options.latency = .low
      options.encoder = .v4l2m2m
      options.stateFolder = "/state"
      ingests.backup = PublishURL("rtmp://spare/app/key")
      options.fill = .crop
      options.bitrate = .fixed
      options.triesAgain = false
      options.duration = .seconds(5)
      options.isMuted = true
      options.otherVideos = [.test]
      options.onCameraLoss = .next
      options.resetsUSB = true
      options.turn = PictureTurn(.quarter, isMirrored: true)
    }
    #expect(configuration.otherVideos == [.test] && configuration.onCameraLoss == .next)
    #expect(configuration.resetsUSB)
    #expect(configuration.turn == PictureTurn(.quarter, isMirrored: true))
    #expect(configuration.ingest == (try Ingest("rtmp://host/app/key")))
    #expect(configuration.backup == (try Ingest("rtmp://spare/app/key")))
    #expect(configuration.quality.resolution == .custom(width: 720, height: 1280))
    #expect(configuration.quality.encoder.filler)
    #expect(configuration.cpu == .lighter && configuration.latency == .low)
    #expect(configuration.encoder == .v4l2m2m && configuration.stateFolder == "/state")
    #expect(configuration.fill == .crop)
    #expect(configuration.bitrate == .fixed)
    #expect(configuration.retry == .never)
    #expect(configuration.duration == .seconds(5))
    #expect(configuration.isMuted)
  }

  @Test(arguments: ["the-key", "the-key\n", "the-key\r\n"])
  func `a key file gives the key to both ingests, without its line break`(_ text: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("key")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
    var warnings: [String] = []
    let configuration = try configuration(
      warn: { warnings.append($0) },
      { _, ingests in
        ingests.to = PublishURL("rtmp://host/app/instance")
        ingests.backup = PublishURL("rtmp://spare/app")
        ingests.keyFile = path
      })
    #expect(
      configuration.ingest == (try Ingest("rtmp://host/app/instance", streamName: "the-key")))
    #expect(configuration.backup == (try Ingest("rtmp://spare/app", streamName: "the-key")))
    #expect(warnings == [])
  }

  @Test func `a key file that others may read is warned of`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("key")
    try Data("the-key\n".utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o640)
    var warnings: [String] = []
    _ = try KeyFile.read(path) { warnings.append($0) }
    #expect(
      warnings == ["others may read the key file \(path); `chmod 600` keeps the key to you"])
  }

  @Test func `a key file that holds no key is refused`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("key")
    try Data("\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(
      refusal { $1.keyFile = path }
        == CommandError(.usage, "the key file \(path) is empty; it must hold the key"))
    try Data("two SECRETS\n".utf8).write(to: URL(fileURLWithPath: path))
    let spaced = try #require(refusal { $1.keyFile = path })
    #expect(spaced.code == .usage)
    #expect(!spaced.description.contains("SECRET"))
    let missing = directory.file("nothing")
    #expect(
      refusal { $1.keyFile = missing }
        == CommandError(
          .noInput,
          "the key file \(missing) cannot be opened: No such file or directory; --key-file takes "
            + "the path of a file that holds the key"))
  }

  @Test func `trusted certificates are read before anything begins`() throws {
    #expect(try configuration { _, _ in }.tlsTrust == .system)
    #expect(
      refusal { options, _ in options.tlsCA = "/nowhere/ca.pem" }
        == CommandError(
          .noInput,
          "--tls-ca: the file of trusted certificates /nowhere/ca.pem cannot be read: No such file "
            + "or directory; name a file of certificates in PEM"))
  }

  @Test(.enabled(if: CertificateAuthority.isAvailable, "needs the openssl command"))
  func `--tls-ca names whom to trust`() async throws {
    let authority = try await CertificateAuthority()
    let configuration = try configuration { options, _ in options.tlsCA = authority.root }
    #expect(configuration.tlsTrust == .file(authority.root))
  }

  @Test func `a quality that cannot be is refused`() {
    #expect(
      refusal { options, _ in options.quality = "hd270" }
        == CommandError(
          .usage,
          "--quality: hd270 is no quality; it takes sd480, hd720, fullHd1080, fullHd1080p60 or the "
            + "path of a .json file; did you mean hd720?"))
    #expect(refusal { options, _ in options.quality = "/nowhere/x.json" }?.code == .noInput)
  }

  @Test(arguments: [
    ("rtmp://user:pw@host/app/key", "rtmp://xxxxxxx@host/xxxxxxx"),
    ("--to=rtmps://host:1/app/key?a=b/c", "--to=rtmps://host:1/xxxxxxxxxxxxx"),
    ("/dev/video0", "/dev/video0"), ("file:/a/b/c", "file:/a/b/c"), ("rtmp://host", "rtmp://host"),
    ("rtmp://host/", "rtmp://host/"), ("", ""), ("//a/b", "//a/b"), ("/a://b/c", "/a://b/c"),
  ])
  func `URLs on the command line are blackened`(_ argument: String, _ hidden: String) {
    var bytes = argument.utf8.map { CChar(bitPattern: $0) }
    bytes.withUnsafeMutableBufferPointer { ProcessSetup.hideURL($0) }
    #expect(String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self) == hidden)
  }

  @Test(arguments: [
    ([:], nil), (["HOME": "/home/x"], "/home/x/.local/state/bunny-broadcast"),
    (["HOME": "/home/x", "XDG_STATE_HOME": "/s"], "/s/bunny-broadcast"),
    (["HOME": "/home/x", "STATE_DIRECTORY": "/var/lib/b:/var/lib/c"], "/var/lib/b"),
    (["HOME": "here"], nil),
  ])
  func `what is learnt is kept where systemd or the user says`(
    _ environment: [String: String], _ folder: String?
  ) { #expect(StateFolder.path(environment) == folder) }
}
