import BunnyCapture
import BunnyMedia
import BunnySystem

private let zero = MonotonicTime(nanoseconds: 0)

/// The picture: its packets, and what they decode to.
final class VideoTrack {
  private(set) var packets = PacketCheck()
  private(set) var pictures = PictureCheck()
  private var keyframes = KeyframeCheck()
  private let facts: TrackFacts
  private let decoder: Decoder
  private var converter: PictureConverter?
  private var convertErrors = 0

  init(_ track: Demuxer.Track) throws(AVFailure) {
    facts = track.facts
    decoder = try Decoder(track)
  }

  func add(_ packet: Packet, isLive: Bool) {
    packets.add(packet)
    keyframes.add(packet)
    let received = isLive ? UnixTime.milliseconds(at: .now) : nil
    add(decoder.pictures(packet, at: zero), received)
  }

  func finish() { add(decoder.pictures(nil, at: zero), nil) }

  private func add(_ decoded: [Picture], _ received: UInt64?) {
    for picture in decoded {
      if let picture = readable(picture) { pictures.add(picture, received: received) }
    }
  }

  /// The picture, converted when its samples are of another form than 8-bit 4:2:0.
  private func readable(_ picture: Picture) -> Picture? {
    if picture.hasPlanes { return picture }
    let (width, height) = (max(2, picture.width & ~1), max(2, picture.height & ~1))
    let converter = converter ?? PictureConverter(width: width, height: height, fill: .crop)
    self.converter = converter
    guard let converted = try? converter.convert(picture) else {
      convertErrors += 1
      return nil
    }
    return converted
  }

  var report: VideoReport {
    let (black, frozen) = pictures.stretches()
    return VideoReport(
      codec: facts.codec, profile: facts.profile, level: facts.level, width: facts.width,
      height: facts.height,
      sampleAspect: facts.sampleAspect.map { "\($0.numerator):\($0.denominator)" },
      pixelFormat: facts.pixelFormat, colourRange: facts.colourRange,
      colourSpace: facts.colourSpace, colourPrimaries: facts.colourPrimaries,
      colourTransfer: facts.colourTransfer, packets: packets.report, frames: pictures.frames,
      frameRate: pictures.frameRate, hasBFrames: pictures.hasBFrames,
      isInterlaced: pictures.isInterlaced, keyframeFrames: keyframes.frames,
      keyframeSeconds: keyframes.seconds, startsWithKeyframe: keyframes.startsWithKeyframe,
      decodeErrors: decoder.errors + convertErrors, black: black, frozen: frozen)
  }
}

/// The sound: its packets, and what they decode to.
final class AudioTrack {
  private(set) var packets = PacketCheck()
  private(set) var sound = SoundCheck()
  private let facts: TrackFacts
  private let decoder: Decoder
  private let converter = SampleConverter()
  private var convertErrors = 0

  init(_ track: Demuxer.Track) throws(AVFailure) {
    facts = track.facts
    decoder = try Decoder(track)
  }

  func add(_ packet: Packet) {
    packets.add(packet)
    add(decoder.samples(packet, at: zero))
  }

  func finish() {
    add(decoder.samples(nil, at: zero))
    for run in (try? converter.finish()) ?? [] { sound.addConverted(run) }
  }

  private func add(_ decoded: [Samples]) {
    for run in decoded {
      sound.addDecoded(run)
      do throws(AVFailure) {
        for converted in try converter.convert(run) { sound.addConverted(converted) }
      } catch {
        convertErrors += 1
      }
    }
  }

  var report: AudioReport {
    AudioReport(
      codec: facts.codec, profile: facts.profile, sampleRate: facts.sampleRate,
      channels: facts.channels, packets: packets.report,
      decodeErrors: decoder.errors + convertErrors, gaps: sound.gaps, largestGap: sound.largestGap,
      drift: sound.drift, silent: sound.silentStretches())
  }
}
