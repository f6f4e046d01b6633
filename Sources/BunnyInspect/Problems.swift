/// A sentence for each thing in a report that a person should look at, the worst of each part first.
func problems(of report: Report) -> [String] {
  var problems: [String] = []
  func note(_ applies: Bool, _ sentence: @autoclosure () -> String) {
    if applies { problems.append(sentence()) }
  }
  if let error = report.readError { problems.append("Reading stopped early: \(error).") }
  note(report.video == nil, "There is no picture.")
  note(report.audio == nil, "There is no sound.")
  if let video = report.video { problems += videoProblems(video) }
  if let audio = report.audio { problems += audioProblems(audio) }
  let step = report.interleaving.largestStepBack
  note(step > 1000, "Picture and sound are interleaved badly: up to \(decimal(step, 0)) ms apart.")
  if let video = report.video?.packets.firstPts, let audio = report.audio?.packets.firstPts {
    let late = abs(video - audio)
    note(
      late > 0.1, "The \(video > audio ? "picture" : "sound") begins \(decimal(late, 2)) s late.")
  }
  if let test = report.testPicture { problems += testProblems(test) }
  return problems
}

private func videoProblems(_ video: VideoReport) -> [String] {
  var problems = packetProblems(video.packets, "picture")
  if video.frames == 0 { problems.append("No picture could be decoded.") }
  if !video.startsWithKeyframe { problems.append("The picture does not begin with a keyframe.") }
  if video.decodeErrors > 0 {
    problems.append("\(times(video.decodeErrors)), the picture could not be decoded cleanly.")
  }
  if let longest = video.keyframeSeconds.max(), longest > 10 {
    problems.append("Keyframes are up to \(decimal(longest, 1)) s apart.")
  }
  problems += video.black.isEmpty ? [] : ["The picture is black for \(total(video.black))."]
  problems += video.frozen.isEmpty ? [] : ["The picture is frozen for \(total(video.frozen))."]
  return problems
}

private func audioProblems(_ audio: AudioReport) -> [String] {
  var problems = packetProblems(audio.packets, "sound")
  if audio.decodeErrors > 0 {
    problems.append("\(times(audio.decodeErrors)), the sound could not be decoded cleanly.")
  }
  if audio.gaps > 0 {
    problems.append(
      "The sound has \(count(audio.gaps, "gap")), the largest \(decimal(audio.largestGap, 0)) ms.")
  }
  if abs(audio.drift) > 20 {
    problems.append("The sound's timestamps drift by \(decimal(audio.drift, 0)) ms.")
  }
  problems += audio.silent.isEmpty ? [] : ["The sound is silent for \(total(audio.silent))."]
  return problems
}

private func packetProblems(_ packets: PacketReport, _ name: String) -> [String] {
  var problems: [String] = []
  if packets.dtsNotRising > 0 {
    problems.append("\(times(packets.dtsNotRising)), the \(name)'s dts does not rise.")
  }
  if packets.ptsTwice > 0 {
    problems.append("\(times(packets.ptsTwice)), two of the \(name)'s packets have the same pts.")
  }
  if packets.withoutTime > 0 {
    problems.append("\(count(packets.withoutTime, "\(name) packet")) without a time.")
  }
  return problems
}

private func testProblems(_ test: TestPictureReport) -> [String] {
  var problems: [String] = []
  func note(_ number: Int, _ what: String) {
    if number > 0 { problems.append("\(count(number, "test frame")) \(what).") }
  }
  note(test.lost, "lost")
  note(test.shownTwice, "shown twice")
  note(test.outOfOrder, "out of order")
  note(test.unreadable, "with an unreadable mark")
  if test.restarts > 0 { problems.append("\(times(test.restarts)), the test picture began anew.") }
  if let offset = test.largestOffset, offset > 40 {
    problems.append("Beep and flash are up to \(decimal(offset, 0)) ms apart.")
  }
  if abs(test.drift.last) > 100 {
    problems.append(
      "The picture's timestamps run \(decimal(abs(test.drift.last), 0)) ms "
        + "\(test.drift.last > 0 ? "ahead of" : "behind") the clock its frames were made by.")
  }
  if test.colourError > 5 {
    problems.append("The colour bars are off by up to \(decimal(test.colourError, 0)) levels.")
  }
  return problems
}

private func total(_ stretches: [Stretch]) -> String {
  let seconds = decimal(stretches.reduce(0) { $0 + $1.length }, 1)
  let first = decimal(stretches[0].start, 1)
  return stretches.count == 1
    ? "\(seconds) s, from \(first) s on"
    : "\(seconds) s in \(stretches.count) places, first from \(first) s on"
}

private func times(_ count: Int) -> String { count == 1 ? "Once" : "\(count) times" }

func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

/// A number with so many digits behind the point.
func decimal(_ value: Double, _ digits: Int) -> String {
  guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
  let scale = [1.0, 10, 100, 1000][digits]
  let scaled = Int((abs(value) * scale).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  let whole = "\(sign)\(scaled / Int(scale))"
  guard digits > 0 else { return whole }
  let fraction = String(scaled % Int(scale))
  return whole + "." + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
}
