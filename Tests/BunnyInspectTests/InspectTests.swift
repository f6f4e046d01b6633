import BunnyInspect
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

struct InspectTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test(arguments: ["clip.mkv", "clip.flv", "clip.mp4", "clip.ts", "clip.m3u8"])
  func `a clean clip has nothing to complain about`(name: String) throws {
    let report = try inspect(try Clip(frames: 120).make(in: folder, name))
    #expect(report.problems == [])
    let test = try #require(report.testPicture)
    #expect(test.framesRead == 120 && test.unreadable == 0)
    #expect(test.firstNumber == 0 && test.lastNumber == 119)
    #expect(test.lost == 0 && test.shownTwice == 0 && test.outOfOrder == 0 && test.restarts == 0)
    let spacing = try #require(test.spacing)
    #expect(abs(spacing.median - 33.33) < 1.1 && spacing.max - spacing.min < 1.1)
    #expect(abs(test.drift.last) < 1.6)
    #expect(test.colourError <= 3)
    #expect(test.delay == nil)
    // The beeps at 1, 2 and 3 s: one at the very start has no quiet before it.
    #expect(test.beeps.count == 3)
    #expect(try #require(test.largestOffset) <= 2)
  }

  @Test func `the facts of a clip are told`() throws {
    var clip = Clip(frames: 150)
    clip.options = [
      "-c:v", "libx264", "-profile:v", "high", "-preset", "veryfast", "-g", "60", "-bf", "0",
      "-sc_threshold", "0",
    ]
    let report = try inspect(try clip.make(in: folder))
    #expect(report.version == 1 && report.format == "matroska,webm" && !report.isLive)
    #expect(abs(report.seconds - 5) < 0.05)
    let video = try #require(report.video)
    #expect(video.codec == "h264" && video.profile == "High" && video.level == 30)
    #expect(video.width == 640 && video.height == 360 && video.pixelFormat == "yuv420p")
    #expect(video.colourRange == "tv" && video.colourSpace == "bt709")
    #expect(video.colourPrimaries == "bt709" && video.colourTransfer == "bt709")
    #expect(video.frames == 150 && video.packets.count == 150 && video.decodeErrors == 0)
    #expect(abs(video.frameRate - 30) < 0.01)
    #expect(!video.hasBFrames && !video.isInterlaced && video.startsWithKeyframe)
    #expect(video.keyframeFrames == [60, 60])
    #expect(video.keyframeSeconds.allSatisfy { abs($0 - 2) < 0.0011 })
    #expect(video.packets.bitratePerSecond.count == 5)
    let bits = video.packets.bitratePerSecond.reduce(0, +)
    #expect(bits == video.packets.bytes * 8)
    let audio = try #require(report.audio)
    #expect(audio.codec == "aac" && audio.profile == "LC")
    #expect(audio.sampleRate == 48_000 && audio.channels == 1)
    #expect(audio.gaps == 0 && abs(audio.largestGap) <= 1 && abs(audio.drift) <= 1)
  }

  @Test func `B-frames are seen, and their order is no fault`() throws {
    var clip = Clip(frames: 60)
    clip.options = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-b_strategy", "0"]
    let report = try inspect(try clip.make(in: folder))
    #expect(report.video?.hasBFrames == true)
    #expect(report.video?.packets.dtsNotRising == 0 && report.video?.packets.ptsTwice == 0)
    #expect(report.testPicture?.lost == 0 && report.testPicture?.outOfOrder == 0)
  }

  @Test func `lost, doubled and swapped frames are counted exactly`() throws {
    var clip = Clip(frames: 0)
    clip.shots =
      .test(0..<30) + .test(33..<50)  // 3 lost
      + .test([49, 49]) + .test(50..<60)  // twice, twice
      + .test([61, 60, 62, 63]) + .test(64..<90)  // 60 is late
    clip.toneDelay = nil
    let test = try #require(try inspect(try clip.make(in: folder)).testPicture)
    #expect(test.framesRead == clip.shots.count && test.unreadable == 0)
    #expect(test.lost == 3)
    #expect(test.shownTwice == 2)
    #expect(test.outOfOrder == 1)
    #expect(test.restarts == 0)
  }

  @Test func `frames dropped with their time leave the spacing as it was`() throws {
    var clip = Clip(frames: 90)
    clip.options += ["-vf", "select='not(between(n,30,34))'", "-fps_mode", "passthrough"]
    let report = try inspect(try clip.make(in: folder))
    let test = try #require(report.testPicture)
    #expect(test.lost == 5)
    let spacing = try #require(test.spacing)
    #expect(spacing.max - spacing.min < 1.1)
    #expect(report.problems == ["5 test frames lost."])
  }

  @Test func `frozen and black stretches are found where they are`() throws {
    var clip = Clip(frames: 0)
    clip.shots =
      .test(0..<45) + .test(Array(repeating: 44, count: 30)) + .test(45..<75)
      + Array(repeating: .black, count: 45) + .test(75..<105)
    clip.toneDelay = nil
    let video = try #require(try inspect(try clip.make(in: folder)).video)
    let frozen = try #require(video.frozen.first)
    #expect(video.frozen.count == 1)
    #expect(abs(frozen.start - 44.0 / 30) < 0.04 && abs(frozen.length - 1) < 0.07)
    let black = try #require(video.black.first)
    #expect(video.black.count == 1)
    #expect(abs(black.start - 105.0 / 30) < 0.04 && abs(black.length - 1.5) < 0.04)
  }

  @Test func `black until the end counts to the end`() throws {
    var clip = Clip(frames: 30)
    clip.shots += Array(repeating: .black, count: 30)
    clip.toneDelay = nil
    let video = try #require(try inspect(try clip.make(in: folder)).video)
    #expect(video.black.count == 1)
    #expect(abs(video.black[0].start - 1) < 0.04 && abs(video.black[0].length - 1) < 0.04)
  }

  @Test func `silence is found where it is, and pauses between beeps are none`() throws {
    var clip = Clip(frames: 210)
    clip.mute = 2.5..<5.5
    let audio = try #require(try inspect(try clip.make(in: folder)).audio)
    #expect(audio.silent.count == 1)
    // From the end of the beep at 2.0 s to the next at 6.0 s.
    #expect(abs(audio.silent[0].start - 2.1) < 0.04 && abs(audio.silent[0].length - 3.9) < 0.06)
  }

  @Test(arguments: [80, -80, 15, 0])
  func `sound that is late or early by so much is measured as that`(milliseconds: Int64) throws {
    var clip = Clip(frames: 150)
    clip.toneDelay = milliseconds * 1_000_000
    let report = try inspect(try clip.make(in: folder))
    let beeps = try #require(report.testPicture).beeps
    #expect(beeps.count >= 4)
    for beep in beeps { #expect(abs(beep.offset - Double(milliseconds)) <= 2) }
    #expect(
      report.problems == (abs(milliseconds) > 40 ? ["Beep and flash are up to 80 ms apart."] : []))
  }

  @Test func `a gap in the sound is measured`() throws {
    var clip = Clip(frames: 150)
    clip.options += ["-af", "aselect='not(between(t,2.2,2.5))'"]
    let audio = try #require(try inspect(try clip.make(in: folder)).audio)
    #expect(audio.gaps == 1)
    #expect(abs(audio.largestGap - 300) < 25)
    #expect(abs(audio.drift - audio.largestGap) < 2)
  }

  @Test func `timestamps that begin anew are found`() throws {
    var clip = Clip(frames: 60)
    clip.toneDelay = nil
    let path = try clip.make(in: folder, "once.ts")
    let once = try Data(contentsOf: URL(filePath: path))
    let twice = folder.file("twice.ts")
    try (once + once).write(to: URL(filePath: twice))
    let report = try inspect(twice)
    #expect(report.video?.packets.dtsNotRising == 1)
    #expect(report.testPicture?.shownTwice == 60)
    #expect(report.interleaving.stepsBack == 59)  // the last is as far as the first pass came
    #expect(report.problems.contains("Once, the picture's dts does not rise."))
  }

  @Test func `it reads no further than the limit`() throws {
    let path = try Clip(frames: 120).make(in: folder)
    let report = try inspect(path, secondsLimit: 2)
    #expect(report.testPicture?.framesRead == 60)
  }

  @Test func `other forms of picture and sound are read too`() throws {
    var clip = Clip(frames: 60)
    clip.options = ["-c:v", "ffv1", "-pix_fmt", "yuv422p10le", "-ar", "44100", "-ac", "2"]
    let report = try inspect(try clip.make(in: folder))
    #expect(report.video?.pixelFormat == "yuv422p10le")
    #expect(report.testPicture?.framesRead == 60 && report.testPicture?.lost == 0)
    #expect(try #require(report.testPicture?.largestOffset) <= 2)
  }

  @Test func `a picture of one pixel is no trap`() throws {
    let path = folder.file("pixel.mkv")
    try ffmpeg([
      "-f", "lavfi", "-i", "testsrc=s=64x64:r=25:d=1", "-vf", "scale=1:1", "-pix_fmt", "rgb24",
      "-c:v", "png", path,
    ]) { _ in }
    let video = try #require(try inspect(path).video)
    #expect(video.width == 1 && video.height == 1 && video.packets.count == 25)
  }

  @Test(arguments: ["mp4", "ts", "flv", "mkv"])
  func `no damage to a file is more than a report or an error`(format: String) async throws {
    var clip = Clip(frames: 20)
    (clip.width, clip.height) = (128, 128)
    let whole = try Data(contentsOf: URL(filePath: clip.make(in: folder, "clip.\(format)")))
    let damaged = folder.file("damaged.\(format)")
    try await onThread("damage") {
      for seed in 0..<40 as Range<UInt64> {
        try whole.damaged(seed).write(to: URL(filePath: damaged))
        guard let report = try? inspect(damaged) else { continue }
        #expect(report.text != "" && report.json != "")
      }
    }
  }

  @Test func `what is not there, not readable or no media is told apart`() throws {
    let text = folder.file("text.flv")
    try Data("This is no media at all.\n".utf8).write(to: URL(filePath: text))
    #expect(throws: InspectError.missing("/nowhere/at-all.flv")) {
      try inspect("/nowhere/at-all.flv")
    }
    #expect {
      try inspect(text)
    } throws: {
      ($0 as? InspectError)?.description.hasPrefix("\(text) is no media: ") == true
    }
    #expect {
      try inspect("rtmp://127.0.0.1:1/live/secret-key?token=secret")
    } throws: {
      let sentence = ($0 as? InspectError)?.description ?? ""
      return sentence.hasPrefix("rtmp://127.0.0.1:1/live/••• cannot be read: ")
        && !sentence.contains("secret")
    }
  }
}
