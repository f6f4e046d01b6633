import BunnyCapture
public import BunnyMedia
import BunnySystem
import Glibc

/// Reads a recording, a playlist or a live stream to its end and says what it found.
///
/// Blocks the calling thread; memory stays flat however long it takes.
///
/// - Parameters:
///   - location: a file's path, or an address that FFmpeg opens.
///   - secondsLimit: stop after that many seconds of media, by the timestamps; nil reads to the end,
///     which a live stream may not have.
///   - interrupter: ends it at once, from any thread, as if the media ended there.
/// - Throws: ``InspectError`` when there is nothing to inspect. What goes wrong later is in the
///   report.
public func inspect(
  _ location: String, secondsLimit: Double? = nil, interrupter: Interrupter = Interrupter()
) throws(InspectError) -> Report {
  try inspect(
    location, secondsLimit: secondsLimit, stallLimit: .seconds(10), interrupter: interrupter)
}

/// - Parameter stallLimit: how long, in nanoseconds, an address may deliver nothing, also while it is
///   opened.
package func inspect(
  _ location: String, secondsLimit: Double? = nil, stallLimit: Int64,
  interrupter: Interrupter = Interrupter()
) throws(InspectError) -> Report {
  let place = Location(text: location)
  let guardian = StallGuard(within: interrupter, after: place.isAddress ? stallLimit : nil)
  let inspection = try Inspection(place, interrupter, guardian)
  return inspection.run(secondsLimit: secondsLimit)
}

/// One reading of one thing.
private final class Inspection {
  private let location: Location
  private let demuxer: Demuxer
  private let interrupter: Interrupter
  private let guardian: StallGuard
  private var video: VideoTrack?
  private var audio: AudioTrack?
  private var interleaving = InterleavingCheck()
  private var firstDts: Double?
  private var readError: String?

  init(
    _ location: Location, _ interrupter: Interrupter, _ guardian: StallGuard
  ) throws(InspectError) {
    self.location = location
    self.interrupter = interrupter
    self.guardian = guardian
    demuxer = try open(location, guardian)
    guard demuxer.video != nil || demuxer.audio != nil else {
      throw .notMedia(location.withoutSecrets, reason: "it holds neither pictures nor sound")
    }
    demuxer.keepOnly([demuxer.video, demuxer.audio].compactMap { $0 })
    do {
      video = try demuxer.video.map { track throws(AVFailure) in try VideoTrack(track) }
      audio = try demuxer.audio.map { track throws(AVFailure) in try AudioTrack(track) }
    } catch {
      throw .notMedia(location.withoutSecrets, reason: "\(error)")
    }
  }

  func run(secondsLimit: Double?) -> Report {
    do {
      while !interrupter.isInterrupted, let (track, packet) = try demuxer.next() {
        if isOver(packet, secondsLimit) { break }
        add(packet, of: track)
        guardian.begin()
      }
    } catch {
      if !interrupter.isInterrupted { readError = error.reason }
    }
    if guardian.hasFired { readError = guardian.words }
    video?.finish()
    audio?.finish()
    return report()
  }

  private func isOver(_ packet: Packet, _ secondsLimit: Double?) -> Bool {
    guard let secondsLimit, let ticks = packet.dtsIfKnown else { return false }
    let dts = packet.seconds(ticks)
    let first = firstDts ?? dts
    firstDts = first
    return dts - first >= secondsLimit
  }

  private func add(_ packet: Packet, of track: Int) {
    interleaving.add(packet)
    if track == demuxer.video?.index {
      video?.add(packet, isLive: location.isAddress)
    } else if track == demuxer.audio?.index {
      audio?.add(packet)
    }
  }

  private func report() -> Report {
    let tracks = [video?.packets, audio?.packets].compactMap { $0 }
    let start = tracks.compactMap(\.firstPts).min() ?? 0
    let end = tracks.compactMap(\.end).max() ?? 0
    var report = Report(
      source: location.withoutSecrets, format: demuxer.format, seconds: end - start,
      containerSeconds: [demuxer.video?.duration, demuxer.audio?.duration].compactMap { $0 }.max(),
      isLive: location.isAddress, video: video?.report, audio: audio?.report,
      interleaving: interleaving.report,
      testPicture: video?.pictures.test.report(beeps: audio?.sound.beeps.onsets ?? []),
      readError: readError)
    report.problems = problems(of: report)
    return report
  }
}

private func open(
  _ location: Location, _ guardian: StallGuard
) throws(InspectError) -> Demuxer {
  let name = location.withoutSecrets
  if !location.isAddress && access(location.text, F_OK) != 0 && errno == ENOENT {
    throw .missing(name)
  }
  do {
    return try Demuxer(location.text, interrupter: guardian.interrupter)
  } catch {
    if guardian.hasFired { throw .unreadable(name, reason: guardian.words) }
    // The same as for a source, but that an address is never missing.
    if case .notMedia = SourceError(error, opening: name) {
      throw .notMedia(name, reason: error.reason)
    }
    throw .unreadable(name, reason: error.reason)
  }
}
