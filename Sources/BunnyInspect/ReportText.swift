extension Report {
  /// For people: at most 80 columns wide, its last part what to look at.
  public var text: String {
    var lines = Lines()
    lines.add("source", source)
    lines.add("format", "\(format), \(decimal(seconds, 2)) s")
    if let video { lines.add(video) }
    if let audio { lines.add(audio) }
    if interleaving.stepsBack > 0 {
      lines.add(
        "interleaving",
        "picture and sound up to \(decimal(interleaving.largestStepBack, 0)) ms apart")
    }
    if let testPicture { lines.add(testPicture) }
    lines.heading(problems.isEmpty ? "Nothing to complain about." : "Look at this:")
    for problem in problems { lines.bullet(problem) }
    return lines.text
  }
}

/// Lines of a name and what is to be said of it, wrapped at 80 columns.
private struct Lines {
  private(set) var text = ""

  private static let width = 80
  private static let indent = 16

  mutating func heading(_ title: String) { text += "\n\(title)\n" }

  mutating func add(_ name: String, _ value: String) {
    let padding = String(repeating: " ", count: max(1, Self.indent - name.count))
    wrap(value, first: name + padding, rest: String(repeating: " ", count: Self.indent))
  }

  mutating func bullet(_ sentence: String) { wrap(sentence, first: "- ", rest: "  ") }

  private mutating func wrap(_ value: String, first: String, rest: String) {
    var line = first
    var isEmpty = true
    for word in value.split(separator: " ") {
      if !isEmpty && line.count + 1 + word.count > Self.width {
        text += line + "\n"
        line = rest
        isEmpty = true
      }
      line += isEmpty ? String(word) : " \(word)"
      isEmpty = false
    }
    text += line + "\n"
  }
}

extension Lines {
  fileprivate mutating func add(_ video: VideoReport) {
    heading("Picture")
    let level =
      video.level.map { level in
        " level \(video.codec == "h264" ? decimal(Double(level) / 10, 1) : "\(level)")"
      } ?? ""
    add("codec", "\(video.codec) \(video.profile ?? "")\(level)")
    let aspect = video.sampleAspect.map { $0 == "1:1" ? "" : ", pixels \($0)" } ?? ""
    add(
      "size",
      "\(video.width)x\(video.height)\(aspect), \(decimal(video.frameRate, 2)) fps"
        + (video.isInterlaced ? ", interlaced" : "") + (video.hasBFrames ? ", B-frames" : ""))
    let colours = [video.colourSpace, video.colourPrimaries, video.colourTransfer]
    let colour = Set(colours).count == 1 ? colours[0] : colours.joined(separator: "/")
    add("colour", "\(video.pixelFormat ?? "unknown"), \(colour), range \(video.colourRange)")
    add("frames", "\(video.frames), of \(count(video.packets.count, "packet"))")
    addKeyframes(video)
    add(video.packets)
    if video.decodeErrors > 0 { add("decode errors", "\(video.decodeErrors)") }
    add("black", video.black)
    add("frozen", video.frozen)
  }

  private mutating func addKeyframes(_ video: VideoReport) {
    guard let shortest = video.keyframeFrames.min(), let longest = video.keyframeFrames.max(),
      let least = video.keyframeSeconds.min(), let most = video.keyframeSeconds.max()
    else { return add("keyframes", "no two of them") }
    let frames = shortest == longest ? "\(shortest)" : "\(shortest) to \(longest)"
    let seconds =
      most - least < 0.002 ? decimal(least, 2) : "\(decimal(least, 2)) to \(decimal(most, 2))"
    add("keyframes", "every \(frames) frames, \(seconds) s")
  }

  fileprivate mutating func add(_ audio: AudioReport) {
    heading("Sound")
    add("codec", "\(audio.codec) \(audio.profile ?? "")")
    add("form", "\(audio.sampleRate) Hz, \(count(audio.channels, "channel"))")
    add("packets", "\(audio.packets.count)")
    add(audio.packets)
    add(
      "gaps",
      "\(audio.gaps == 0 ? "none" : "\(audio.gaps)"), largest step "
        + "\(decimal(audio.largestGap, 1)) ms, drift \(decimal(audio.drift, 1)) ms")
    if audio.decodeErrors > 0 { add("decode errors", "\(audio.decodeErrors)") }
    add("silent", audio.silent)
  }

  private mutating func add(_ packets: PacketReport) {
    let first = packets.firstPts.map { decimal($0, 3) } ?? "unknown"
    add("time", "first pts \(first) s, lasts \(decimal(packets.seconds, 3)) s")
    if packets.dtsNotRising + packets.ptsTwice + packets.withoutTime > 0 {
      add(
        "bad times",
        "\(packets.dtsNotRising) dts not rising, \(packets.ptsTwice) pts twice, "
          + "\(packets.withoutTime) without")
    }
    let window =
      packets.lowestBitrate.flatMap { low in
        packets.highestBitrate.map { "; any 5 s: \(kilobits(low)) to \(kilobits($0))" }
      } ?? ""
    add("bit rate", "\(kilobits(packets.meanBitrate)) kbit/s\(window)")
  }

  private mutating func add(_ name: String, _ stretches: [Stretch]) {
    guard !stretches.isEmpty else { return }
    let shown = stretches.prefix(6).map {
      "\(decimal($0.start, 2)) s for \(decimal($0.length, 2)) s"
    }
    let more = stretches.count > 6 ? ", and \(stretches.count - 6) more" : ""
    add(name, "at " + shown.joined(separator: ", ") + more)
  }

  fileprivate mutating func add(_ test: TestPictureReport) {
    heading("Test picture")
    add(
      "frames",
      "\(test.framesRead) read (\(test.firstNumber) to \(test.lastNumber)), \(test.lost) lost, "
        + "\(test.shownTwice) shown twice, \(test.outOfOrder) out of order, "
        + "\(test.unreadable) unreadable")
    if let spacing = test.spacing { add("spacing", spread(spacing)) }
    if let delay = test.delay { add("delay", spread(delay)) }
    let drift = test.drift
    add(
      "drift",
      "\(decimal(drift.last, 1)) ms, within \(decimal(drift.min, 1)) to "
        + "\(decimal(drift.max, 1)) ms")
    add("colours", "within \(decimal(test.colourError, 1)) levels")
    if let largest = test.largestOffset {
      let mean = test.beeps.reduce(0) { $0 + $1.offset } / Double(test.beeps.count)
      add(
        "beeps",
        "\(test.beeps.count), \(decimal(mean, 1)) ms after the flash (mean), "
          + "at most \(decimal(largest, 1)) ms apart")
    }
  }

  private func spread(_ spread: Spread) -> String {
    "\(decimal(spread.min, 1)) to \(decimal(spread.max, 1)) ms, median \(decimal(spread.median, 1))"
  }

  private func kilobits(_ bits: Int) -> String { decimal(Double(bits) / 1000, 0) }
}
