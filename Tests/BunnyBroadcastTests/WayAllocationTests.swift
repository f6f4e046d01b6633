import BunnyBroadcast
import BunnyMedia
import BunnyRTMP
import BunnySystem
import CSupport
import Support
import Synchronization
import Testing

private let canCount: Bool = {
  support_count_allocations()
  return support_allocations() >= 0
}()

/// What frames and their sound cost in allocations, from a camera's buffer to the socket.
@Suite(.enabled(if: canCount, "a sanitizer has its own malloc"))
struct WayAllocationTests {
  /// Until everything is as large as it gets: the log keeps 12 s.
  private static let before = 1200
  private static let frames = 1000

  /// Those of libraries are the encoders' alone, on the same frames: libavcodec's references to what goes in
  /// and what comes out, and the packets' memory.
  @Test func `none of our own from a camera's buffer to the socket, over 1000 frames`()
    async throws
  {
    let ingest = try ScriptedIngest()
    let way = try FrameWay()
    let feed = CountedFeed(
      TagFeed(
        TagFeed.Surroundings(
          log: way.log, headers: way.headers,
          telemetry: LaneTelemetry(whole: Telemetry(lanes: 1), lane: 0), stallLimit: .seconds(60),
          gop: 2000, wantsKeyframe: Flag(), onDrop: { _, _ in }), .oldest),
      from: Self.before, to: Self.before + Self.frames)
    let connection = RTMPConnection(to: try ingest.ingest())
    async let publishing: Void = onThread("publish") { try connection.publish(feed) { _ in } }
    let counted = try await onThread("lanes") { [way = Lent(way)] in
      try way.content.run(Self.before, Self.frames) { feed.waits(for: $0) }
    }
    way.log.finish()
    try await publishing
    #expect(counted.own == 0)
    #expect(feed.counted.withLock { $0 } == 0)
    let alone = try FrameWay().encodeOnly(Self.before, Self.frames)
    #expect(alone.own == 0 && counted.libraries == alone.libraries)
  }
}

private struct Counted: Sendable {
  var own = 0
  var libraries = 0

  static func begin() { support_count_allocations() }

  static func end() -> Counted {
    let all = support_allocations()
    let libraries = support_allocations_of_libraries()
    return Counted(own: all - libraries, libraries: libraries)
  }
}

/// Belongs to one thread at a time.
private final class Lent<Content>: @unchecked Sendable {
  let content: Content
  init(_ content: Content) { self.content = content }
}

/// A camera, a microphone, and the lanes up to the log.
private final class FrameWay {
  let log = TagLog()
  private let outlet: Outlet
  private let pictures = Mailbox<Picture>(capacity: 15)
  private let encoding: PictureEncoding
  private let audio: AudioEncoder
  private let muxer: TagMuxer
  private let converter = SampleConverter()
  private var converted: [Samples] = []
  private let sound: Samples
  private var buffers: [LentBuffer]
  private let form = FrameForm(
    "yuyv422", width: 320, height: 180, FrameColour(.bt601, isFullRange: false))
  private let bytes = 320 * 180 * 2
  private var slot: Int64 = 0

  init() throws {
    var settings = VideoEncoder.Settings(
      width: 320, height: 180, frameRate: Timebase(30, 1), bitrate: 400_000)
    (settings.preset, settings.threads) = ("ultrafast", 1)
    encoding = try PictureEncoding(
      settings, fill: .letterbox, orders: EncodingOrders(settings))
    audio = try AudioEncoder(bitrate: 64_000)
    muxer = try TagMuxer(audio.parameters)
    outlet = Outlet(log: log, shift: 0, longestHold: .seconds(60))
    buffers = [LentBuffer(capacity: bytes), LentBuffer(capacity: bytes)]
    for buffer in buffers { buffer.bytes.update(repeating: 90, count: bytes) }
    let silence = [UInt8](repeating: 0, count: 1470 * 2)
    sound = silence.withUnsafeBytes {
      Samples($0, .int16, sampleRate: 44_100, channels: 1, time: MonotonicTime(nanoseconds: 0))
    }
  }

  var headers: [RTMPTag] {
    [
      RTMPTag(kind: .video, timestamp: 0, body: encoding.header.body, serial: -1),
      RTMPTag(kind: .audio, timestamp: 0, body: muxer.sequenceHeader.body, serial: -1),
    ]
  }

  /// Counts over `frames` of them, after as many as `before`.
  ///
  /// - Parameter wait: until the frame of that number is known to have arrived.
  func run(_ before: Int, _ frames: Int, _ wait: (Int64) -> Void) throws -> Counted {
    var counted = Counted()
    for index in 0..<(before + frames + 60) {
      if index == before { Counted.begin() }
      try picture { picture in
        try encoding.arrange(for: slot, forcingKeyframe: false, shift: 0) { outlet.offer($0) }
        try encoding.encode(picture, in: slot, forcingKeyframe: false, shift: 0) {
          outlet.offer($0)
        }
      }
      try heard { packet throws(AVFailure) in
        if let tag = try muxer.tag(packet) { outlet.offer(tag) }
      }
      slot += 1
      wait(slot - 40)
      if index == before + frames - 1 { counted = Counted.end() }
    }
    return counted
  }

  /// The same with nothing behind the encoders.
  func encodeOnly(_ before: Int, _ frames: Int) throws -> Counted {
    var settings = VideoEncoder.Settings(
      width: 320, height: 180, frameRate: Timebase(30, 1), bitrate: 400_000)
    (settings.preset, settings.threads) = ("ultrafast", 1)
    let encoder = try VideoEncoder(settings)
    for index in 0..<(before + frames) {
      if index == before { Counted.begin() }
      try picture { picture in
        try encoder.encode(picture, at: slot) { _ throws(AVFailure) in }
      }
      try heard { _ throws(AVFailure) in }
      slot += 1
    }
    return Counted.end()
  }

  /// What the camera sees next, made the broadcast's.
  private func picture(_ take: (Picture) throws -> Void) throws {
    for index in buffers.indices where buffers[index].isFree {
      buffers[index].bytes[Int(slot) % bytes] &+= 50
      let time = MonotonicTime(nanoseconds: slot * 33_333_333)
      if let picture = buffers[index].lend(count: bytes, form, time: time) { pictures.put(picture) }
      break
    }
    guard case .element(let picture) = pictures.take(until: .now) else {
      Issue.record("the camera has no buffer left")
      return
    }
    try take(try encoding.converter.convert(picture))
  }

  /// What the microphone hears meanwhile, of another form than the broadcast's.
  private func heard(_ take: (Packet) throws(AVFailure) -> Void) throws {
    sound.stamp(MonotonicTime(nanoseconds: slot * 33_333_333))
    try converter.convert(sound) { converted.append($0) }
    for run in converted { try audio.encode(run, 0..<run.count, take) }
    converted.removeAll(keepingCapacity: true)
  }
}

/// Counts what its session's thread allocates from one picture to another.
private final class CountedFeed: RTMPFeed, @unchecked Sendable {  // on one thread, but for the rest
  let counted = Mutex<Int?>(nil)
  private let feed: TagFeed
  private let (first, last): (Int, Int)
  private var pictures = 0
  private let arrived = Atomic<Int64>(-1)
  private let progress = WakeEvent()

  init(_ feed: TagFeed, from first: Int, to last: Int) {
    (self.feed, self.first, self.last) = (feed, first, last)
  }

  /// Three tags belong to a frame, or less.
  func waits(for frame: Int64) {
    let deadline = MonotonicTime.now + .seconds(20)
    while arrived.load(ordering: .relaxed) < frame * 5 / 2, MonotonicTime.now < deadline {
      progress.wait(until: deadline)
    }
  }

  var wake: WakeEvent { feed.wake }
  var isFinished: Bool { feed.isFinished }
  func opening() -> [RTMPTag] { feed.opening() }

  func next() -> RTMPTag? {
    guard let tag = feed.next() else { return nil }
    guard tag.kind == .video else { return tag }
    pictures += 1
    if pictures == first { Counted.begin() }
    if pictures == last {
      let own = Counted.end().own
      counted.withLock { $0 = own }
    }
    return tag
  }

  func sent(_ tag: RTMPTag, at time: MonotonicTime) { feed.sent(tag, at: time) }

  func confirmed(_ serial: Int64, at time: MonotonicTime) {
    feed.confirmed(serial, at: time)
    arrived.store(serial, ordering: .relaxed)
    progress.signal()
  }
}
