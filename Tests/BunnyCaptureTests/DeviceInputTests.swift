import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct DeviceInputTests {
  private func open(_ video: String, _ audio: String = "silence") throws -> OpenSources {
    try OpenSources(
      video: VideoInput(video), audio: AudioInput(audio), width: 320, height: 180,
      frameRate: Timebase(30, 1)
    ) { _ in }
  }

  @Test func `what libavfilter makes is paced by its own times`() throws {
    let sources = try open("av:lavfi:testsrc=s=320x180:r=50", "av:lavfi:sine=r=44100")
    let first = try #require(try sources.pictures.next())
    var last = first
    for _ in 0..<25 { last = try #require(try sources.pictures.next()) }
    #expect(abs((last.time - first.time) - .milliseconds(500)) <= .milliseconds(1))
    #expect(MonotonicTime.now >= last.time)
    let sound = try #require(try sources.sound?.next())
    #expect(sound.sampleRate == 44_100)
    sources.pictures.cancel()
    #expect(try sources.pictures.next() == nil)
  }

  @Test(.enabled(if: XDisplay.isAvailable, "needs Xvfb"))
  func `the screen is captured, stamped on arrival`() async throws {
    let display = try await XDisplay()
    let sources = try open("av:x11grab:\(display.name)")
    var last: MonotonicTime?
    for _ in 0..<10 {
      let picture = try #require(try sources.pictures.next())
      #expect(picture.width == 640 && picture.height == 480)
      #expect(MonotonicTime.now - picture.time < .seconds(5))
      if let last { #expect(picture.time > last) }
      last = picture.time
    }
  }

  @Test func `a source that has ended is lost, and is opened again when asked again`() throws {
    let sources = try open("av:lavfi:testsrc=s=64x64:r=50:d=0.2", "av:lavfi:sine=d=0.2")
    let lost = "av:lavfi:testsrc=s=64x64:r=50:d=0.2"
    for _ in 0..<2 {
      for _ in 0..<10 { #expect(try sources.pictures.next() != nil) }
      #expect(throws: SourceError.lost(lost, reason: "it has ended")) {
        try sources.pictures.next()
      }
      var heard = 0
      #expect(throws: SourceError.lost("av:lavfi:sine=d=0.2", reason: "it has ended")) {
        while let run = try sources.sound?.next() { heard += run.count }
      }
      #expect(heard == 8820)
    }
  }

  @Test(.enabled(if: XDisplay.isAvailable, "needs Xvfb"))
  func `a screen that went away is captured again when it is back`() async throws {
    let display = try await XDisplay()
    let sources = try open("av:x11grab:\(display.name)")
    #expect(try sources.pictures.next() != nil)
    try await display.end()
    #expect(throws: SourceError.self) { while try sources.pictures.next() != nil {} }
    #expect(throws: SourceError.self) { try sources.pictures.next() }
    let again = try await XDisplay(display.name)
    #expect(again.name == display.name)
    #expect(try sources.pictures.next() != nil)
  }

  @Test func `a library that is missing is named with its package`() {
    let error = SourceError.libraryMissing(
      "av:x11grab::0", library: "libavdevice.so.59", package: "libavdevice59")
    #expect(
      error.description == "av:x11grab::0 needs libavdevice.so.59, which is not on this machine; "
        + "install the package libavdevice59")
  }

  @Test func `inputs that are not there say so`() throws {
    #expect(throws: SourceError.unknownFormat("nosuch")) { try open("av:nosuch:device") }
    // A device may come: it is asked again with each call.
    let screen = try open("av:x11grab::99").pictures
    for screen in [screen, screen.renewed()] {
      #expect { try screen?.next() } throws: {
        if case SourceError.unreadable("av:x11grab::99", _)? = $0 as? SourceError {
          true
        } else {
          false
        }
      }
    }
    for device in ["/dev/video99", "v4l2:Webcam that nobody has"] {
      let camera = try open(device).pictures
      #expect { try camera.next() } throws: {
        if case SourceError.camera(device, .missing)? = $0 as? SourceError { true } else { false }
      }
    }
  }
}

@Suite struct InputGrammarTests {
  @Test func `sources are read as they are written`() throws {
    #expect(try VideoInput("file:/a:b/c d.mp4") == .file("/a:b/c d.mp4"))
    #expect(try VideoInput("file:https://host/x.m3u8?a=b") == .file("https://host/x.m3u8?a=b"))
    #expect(
      try VideoInput("av:x11grab::0.0+10,20")
        == .libavdevice(format: "x11grab", device: ":0.0+10,20"))
    #expect(try VideoInput("/dev/v4l/by-id/usb-x") == .camera("/dev/v4l/by-id/usb-x"))
    #expect(try VideoInput("auto") == .automatic && AudioInput("auto") == .automatic)
    #expect(try AudioInput("alsa:hw:1,0") == .microphone("alsa:hw:1,0"))
    #expect(try AudioInput("default") == .microphone("default"))
    #expect(try AudioInput("av:pulse:default") == .libavdevice(format: "pulse", device: "default"))
  }

  @Test(arguments: ["", "tests", "file:", "av:", "av:x11grab", "av::0", "v4l2:", "tone"])
  func `what is no picture is refused`(text: String) {
    #expect(throws: InputSyntaxError.self) { try VideoInput(text) }
  }

  @Test(arguments: ["", "test", "file:", "av:pulse:", "alsa:", "/dev/snd"])
  func `what is no sound is refused`(text: String) {
    #expect(throws: InputSyntaxError.self) { try AudioInput(text) }
  }
}
