import BunnyMedia
import BunnySystem
import Synchronization

/// A source of libavdevice: a screen, PulseAudio, or any other `av:FORMAT:DEVICE`.
///
/// What it delivers is stamped on arrival, with this machine's monotonic clock: the clocks that
/// libavdevice stamps with differ from one input to the next. `next()` belongs to one thread.
final class DeviceInput: @unchecked Sendable {
  private let name: String
  private let demuxer: Demuxer
  private let track: Demuxer.Track
  private let decoder: Decoder
  /// Made by a program instead of a device: as fast as it is read, so its own times pace it.
  private let isSynthetic: Bool
  private let pacing = Pacing()
  private var firstArrival: (time: MonotonicTime, pts: Int64)?

  enum Kind { case picture, sound }

  /// - Parameter framesPerSecond: is asked of a screen or camera; inputs without a choice ignore it.
  init(
    _ format: String, _ device: String, _ kind: Kind, framesPerSecond: Double
  ) throws(SourceError) {
    name = "av:\(format):\(device)"
    do { try DeviceLibrary.load() } catch {
      throw .unreadable(name, reason: "\(DeviceLibrary.name) is not on this machine")
    }
    guard DeviceLibrary.has(format) else { throw .unknownFormat(format) }
    do {
      demuxer = try Demuxer(
        device, inputFormat: format, options: ["framerate": "\(framesPerSecond)"])
    } catch {
      throw .unreadable(name, reason: error.reason)
    }
    guard let track = kind == .picture ? demuxer.video : demuxer.audio else {
      throw .notMedia(name, reason: kind == .picture ? "it has no picture" : "it has no sound")
    }
    self.track = track
    demuxer.keepOnly([track])
    isSynthetic = format == "lavfi"
    do { decoder = try Decoder(track) } catch {
      throw .notMedia(name, reason: "FFmpeg cannot decode it, \(error.reason)")
    }
  }

  func cancel() {
    demuxer.interrupter.interrupt()
    pacing.cancel()
  }

  /// The next packet and the moment it arrived; nil when cancelled.
  private func packet() throws(SourceError) -> (Packet, MonotonicTime)? {
    let read: (track: Int, packet: Packet)?
    do { read = try demuxer.next() } catch {
      if demuxer.interrupter.isInterrupted { return nil }
      throw .lost(name, reason: error.reason)
    }
    guard let packet = read?.packet else { throw .lost(name, reason: "it has ended") }
    guard isSynthetic else { return (packet, .now) }
    let pts = packet.timebase.convert(packet.pts, to: .nanoseconds)
    let first = firstArrival ?? (.now, pts)
    firstArrival = first
    let due = first.time + (pts - first.pts)
    if case .cancelled = pacing.wait(until: due) { return nil }
    return (packet, due)
  }

  func nextPicture() throws(SourceError) -> Picture? {
    while let (packet, arrival) = try packet() {
      if let picture = decoder.pictures(packet, stampedAt: arrival).last { return picture }
    }
    return nil
  }

  func nextSamples() throws(SourceError) -> Samples? {
    while let (packet, arrival) = try packet() {
      // A device hands over what it has heard by now; a program, what is to be heard from now on.
      let runs = decoder.samples(packet) { isSynthetic ? arrival : arrival + -$0 }
      if let samples = runs.last { return samples }
    }
    return nil
  }
}

/// The picture of a ``DeviceInput``.
struct DevicePictures: PictureSource {
  let input: DeviceInput
  func next() throws -> Picture? { try input.nextPicture() }
  func cancel() { input.cancel() }
}

/// The sound of a ``DeviceInput``.
struct DeviceSound: SampleSource {
  let input: DeviceInput
  /// Arrival tells when a run ended no better than this: the system delivers in bursts.
  let timeTolerance = Int64.milliseconds(80)
  func next() throws -> Samples? { try input.nextSamples() }
  func cancel() { input.cancel() }
}
