import BunnySandbox
import BunnySystem
import Foundation
import Testing

struct SmallPartsTests {
  @Test func `the recording's playlist has all, the viewers' the last six`() {
    var playlist = Playlist()
    for index in 0..<8 {
      playlist.add(.init(name: "s\(index).ts", seconds: 2, isDiscontinuous: index == 1))
    }
    #expect(playlist.whole.hasPrefix("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n"))
    #expect(playlist.whole.contains("#EXT-X-PLAYLIST-TYPE:EVENT\n#EXTINF:2.000,\ns0.ts\n"))
    #expect(playlist.whole.contains("s0.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:2.000,\ns1.ts\n"))
    #expect(
      playlist.window.contains(
        "#EXT-X-MEDIA-SEQUENCE:2\n#EXT-X-DISCONTINUITY-SEQUENCE:1\n#EXTINF:2.000,\ns2.ts\n"))
    #expect(playlist.window.hasSuffix("s7.ts\n"))
    playlist.finish()
    #expect(playlist.window.hasSuffix("s7.ts\n#EXT-X-ENDLIST\n"))
  }

  @Test func `a fault is of the calls that it names, and ends by itself`() {
    #expect(Fault().kind(of: "get", at: second(0)) == nil)
    let fault = Fault(.hang, calls: ["get", "start"], seconds: 2, at: second(1))
    #expect(fault.kind(of: "get", at: second(2.9)) == .hang)
    #expect(fault.kind(of: "stop", at: second(2.9)) == nil)
    #expect(fault.kind(of: "get", at: second(3)) == nil)
    #expect(Fault(.slow, seconds: 1, at: second(1)).kind(of: "stop", at: second(1)) == .slow)
  }

  @Test func `options are read in both spellings`() throws {
    let options = try SandboxOptions([
      "--port", "8080", "--primary-port=1935", "--ready-after", "0.5", "--keep=/tmp/x",
      "--until-eof", "--title", "A kiosk", "--key-after", "2", "--fault", "no-flags",
    ])
    #expect(options.fault == .noFlags)
    #expect(options.port == 8080 && options.primaryPort == 1935 && options.backupPort == nil)
    #expect(options.readyAfter == 500_000_000 && options.keyAfter == 2_000_000_000)
    #expect(options.keep == "/tmp/x" && options.endsWithInput && options.title == "A kiosk")
  }

  @Test(arguments: [
    (["--prot", "1"], "--prot is no option; did you mean --port?"),
    (["--port", "0"], "--port is 0; it takes a port, 1 to 65535"),
    (["--keep"], "--keep needs a value; write --keep FOLDER"),
    (["--until-eof=yes"], "--until-eof takes no value"),
    (["--ready-after", "soon"], "--ready-after is soon; it takes seconds, 0 to 86400"),
  ])
  func `a mistyped option is named with what it takes`(_ words: [String], _ sentence: String) {
    #expect(throws: SandboxError.usage(sentence)) { try SandboxOptions(words) }
  }

  @Test func `each error has its code after sysexits`() {
    #expect(SandboxError.usage("").exitCode == 64)
    #expect(SandboxError.portTaken("HTTP", 80, "--port").exitCode == 69)
    #expect(SandboxError.noNginx(missing: "x").exitCode == 69)
    #expect(SandboxError.cannotStart("x", reason: "y").exitCode == 71)
    #expect(SandboxError.cannotWrite("x", reason: "y").exitCode == 73)
  }
}
