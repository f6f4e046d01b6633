import BunnyMedia
import BunnySystem
import Synchronization

/// A source of libavdevice: a screen, PulseAudio, or any other `av:FORMAT:DEVICE`.
///
/// What it delivers is stamped on arrival, with this machine's monotonic clock: the clocks that
/// libavdevice stamps with differ from one input to the next. `next()` belongs to one thread.
///
/// It is opened by the first `next()` at the latest, and by the next one after it was lost.
final class DeviceInput: @unchecked Sendable {
  enum Kind { case picture, sound }

  /// What is read from, while it delivers.
  private struct Opened {
    let demuxer: Demuxer
    let decoder: Decoder
    var firstArrival: (time: MonotonicTime, pts: Int64)?
  }

  private let name: String
  private let format: String
  private let device: String
  private let kind: Kind
  private let framesPerSecond: Double
  private let context: SourceContext
  private let interrupter: Interrupter
  private let pacing = Pacing()
  private var opened: Opened?
  private var pictures: [Picture] = []  // kept for its memory, as are the runs
  private var runs: [Samples] = []
  /// Made by a program instead of a device: as fast as it is read, so its own times pace it.
  private var isSynthetic: Bool { format == "lavfi" }
  /// A camera's or a microphone's, as far as one knows. Screens may well be still, and black.
  var isSensor: Bool { !["lavfi", "x11grab", "kmsgrab", "fbdev"].contains(format) }

  /// Opens nothing yet.
  ///
  /// - Parameter framesPerSecond: is asked of a screen or camera; inputs without a choice ignore it.
  /// - Throws: ``SourceError`` where no device of that format can ever be opened here.
  init(
    _ format: String, _ device: String, _ kind: Kind, framesPerSecond: Double,
    _ context: SourceContext
  ) throws(SourceError) {
    name = "av:\(format):\(device)"
    self.format = format
    self.device = device
    self.kind = kind
    self.framesPerSecond = framesPerSecond
    self.context = context
    interrupter = Interrupter(within: context.interrupter)
    do { try DeviceLibrary.load() } catch {
      throw .libraryMissing(name, library: DeviceLibrary.name, package: DeviceLibrary.package)
    }
    guard DeviceLibrary.has(format) else { throw .unknownFormat(format) }
  }

  private init(renewing other: DeviceInput) {
    (name, format, device, kind) = (other.name, other.format, other.device, other.kind)
    (framesPerSecond, context) = (other.framesPerSecond, other.context)
    interrupter = Interrupter(within: other.context.interrupter)
  }

  /// One for the same device. From any thread.
  func renewed() -> DeviceInput { DeviceInput(renewing: self) }

  /// Opens it, unless it is open. Belongs to the capture thread, or to whoever has not handed it over yet.
  func prepare() throws(SourceError) { if opened == nil { opened = try open() } }

  private func open() throws(SourceError) -> Opened {
    let demuxer: Demuxer
    do {
      demuxer = try Demuxer(
        device, inputFormat: format, options: ["framerate": "\(framesPerSecond)"],
        interrupter: interrupter)
    } catch {
      throw .unreadable(name, reason: error.reason)
    }
    guard let track = kind == .picture ? demuxer.video : demuxer.audio else {
      throw .notMedia(name, reason: kind == .picture ? "it has no picture" : "it has no sound")
    }
    demuxer.keepOnly([track])
    do {
      return Opened(
        demuxer: demuxer, decoder: try Decoder(track, onError: context.decodeError))
    } catch {
      throw .notMedia(name, reason: "FFmpeg cannot decode it, \(error.reason)")
    }
  }

  func cancel() {
    interrupter.interrupt()
    pacing.cancel()
  }

  /// The next packet, the moment it arrived, and what decodes it; nil when cancelled.
  private func packet() throws(SourceError) -> (Packet, MonotonicTime, Decoder)? {
    if interrupter.isInterrupted { return nil }
    do throws(SourceError) { try prepare() } catch {
      if interrupter.isInterrupted { return nil }
      throw error
    }
    guard var input = opened else { return nil }
    let read: (track: Int, packet: Packet)?
    do { read = try input.demuxer.next() } catch {
      if interrupter.isInterrupted { return nil }
      opened = nil
      throw .lost(name, reason: error.reason)
    }
    guard let packet = read?.packet else {
      opened = nil
      throw .lost(name, reason: "it has ended")
    }
    guard isSynthetic, let pts = packet.timebase.nanoseconds(packet.pts) else {
      return (packet, .now, input.decoder)
    }
    let first = input.firstArrival ?? (.now, pts)
    input.firstArrival = first
    opened = input
    let due = first.time + (pts - first.pts)
    if case .cancelled = pacing.wait(until: due) { return nil }
    return (packet, due, input.decoder)
  }

  func nextPicture() throws(SourceError) -> Picture? {
    while let (packet, arrival, decoder) = try packet() {
      decoder.pictures(packet, stampedAt: arrival, into: &pictures)
      if let picture = pictures.popLast() {
        pictures.removeAll(keepingCapacity: true)
        return picture
      }
    }
    return nil
  }

  func nextSamples() throws(SourceError) -> Samples? {
    while let (packet, arrival, decoder) = try packet() {
      // A device hands over what it has heard by now; a program, what is to be heard from now on.
      decoder.samples(packet, into: &runs) { isSynthetic ? arrival : arrival + -$0 }
      if let samples = runs.popLast() {
        runs.removeAll(keepingCapacity: true)
        return samples
      }
    }
    return nil
  }
}

/// The picture of a ``DeviceInput``.
struct DevicePictures: PictureSource {
  let input: DeviceInput
  func next() throws -> Picture? { try input.nextPicture() }
  func cancel() { input.cancel() }
  func renewed() -> (any PictureSource)? { DevicePictures(input: input.renewed()) }
  var isWatched: Bool { input.isSensor }
}

/// The sound of a ``DeviceInput``.
struct DeviceSound: SampleSource {
  let input: DeviceInput
  /// Arrival tells when a run ended no better than this: the system delivers in bursts.
  let timeTolerance = Int64.milliseconds(80)
  func next() throws -> Samples? { try input.nextSamples() }
  func cancel() { input.cancel() }
  func renewed() -> (any SampleSource)? { DeviceSound(input: input.renewed()) }
  var isWatched: Bool { input.isSensor }
}
