import BunnyCapture
import BunnyMedia
import BunnySystem
import Testing

/// What a recording shows, frame by frame: the picture, or the slate in its place.
struct Film {
  struct Frame {
    /// Seconds.
    let pts: Double
    let isSlate: Bool
    /// The same picture as before.
    let isStill: Bool
    /// Of the test picture.
    let mark: FrameMark?
  }

  /// From the picture's loss to its return, in seconds.
  struct Outage: CustomStringConvertible {
    /// Of the last new picture.
    let lastPicture: Double
    /// Of the first slate.
    let slate: Double
    /// Of the first picture after it.
    let picture: Double

    var untilSlate: Double { slate - lastPicture }
    var slateLasts: Double { picture - slate }
    var description: String {
      "slate after \(Int(untilSlate * 1000)) ms, for \(Int(slateLasts * 1000)) ms"
    }
  }

  private(set) var frames: [Frame] = []
  /// The last of them.
  private(set) var picture: Picture?

  init(_ path: String) throws {
    let demuxer = try Demuxer("file:\(path)")
    let track = try #require(demuxer.video)
    demuxer.keepOnly([track])
    let decoder = try Decoder(track)
    func add(_ pictures: [Picture]) {
      for new in pictures {
        frames.append(Frame(new, after: picture))
        picture = new
      }
    }
    let zero = MonotonicTime(nanoseconds: 0)
    while let (_, packet) = try demuxer.next() { add(decoder.pictures(packet, at: zero)) }
    add(decoder.pictures(nil, at: zero))
  }

  /// Each time that the slate was shown and the picture came back.
  var outages: [Outage] {
    var outages: [Outage] = []
    for index in frames.indices.dropFirst() where frames[index].isSlate {
      guard !frames[index - 1].isSlate,
        let back = frames[index...].firstIndex(where: { !$0.isSlate })
      else { continue }
      let lastNew = frames[..<index].lastIndex { !$0.isStill } ?? 0
      outages.append(
        Outage(
          lastPicture: frames[lastNew].pts, slate: frames[index].pts, picture: frames[back].pts))
    }
    return outages
  }

  /// Where what happened at `time` is in the recording, in seconds, by what the marks of the frames
  /// around `pts` say on the whole: one that the camera was late with counts for nothing.
  func pts(of time: MonotonicTime, near pts: Double) throws -> Double {
    Double(UnixTime.milliseconds(at: time)) / 1000 + (try offset(near: pts))
  }

  /// How late a beep is that was played at a whole second of ``MonotonicTime``, in milliseconds.
  func delay(ofBeepAt pts: Double) throws -> Double {
    let anySecond = MonotonicTime(
      nanoseconds: MonotonicTime.now.nanoseconds / 1_000_000_000 * 1_000_000_000)
    let delay = pts - (try self.pts(of: anySecond, near: pts))
    return (delay - delay.rounded()) * 1000
  }

  /// From UNIX time to pts, in seconds.
  private func offset(near pts: Double) throws -> Double {
    let offsets = frames.filter { abs($0.pts - pts) < 2 }.compactMap { frame in
      frame.mark.map { frame.pts - Double($0.milliseconds) / 1000 }
    }
    try #require(!offsets.isEmpty, "no frame near \(pts) s has a mark")
    return offsets.sorted()[offsets.count / 2]
  }
}

extension Film.Frame {
  /// The plain slate's luma, which the corners of no other picture here have.
  private static let paper: ClosedRange<UInt8> = 37...43

  fileprivate init(_ picture: Picture, after last: Picture?) {
    pts = Double(picture.time.nanoseconds) / 1e9
    let y = picture.withPlanes { y, _, _ in y }
    let corners = [(8, 8), (y.width - 8, 8), (8, y.height - 8), (y.width - 8, y.height - 8)]
    isSlate = corners.allSatisfy { Self.paper.contains(y.bytes[$1 * y.stride + $0]) }
    mark = FrameMark.read(from: y)
    isStill =
      last.map { last in
        last.withPlanes { other, _, _ in Self.difference(y, other) < 0.25 }
      } ?? false
    withExtendedLifetime(picture) {}
  }

  /// Of luma, on average, in every fourth row.
  private static func difference(_ one: Picture.Plane, _ other: Picture.Plane) -> Double {
    var (sum, count) = (0, 0)
    for row in stride(from: 0, to: one.height, by: 4) {
      let (line, otherLine) = (one.bytes + row * one.stride, other.bytes + row * other.stride)
      for x in 0..<one.width { sum += abs(Int(line[x]) - Int(otherLine[x])) }
      count += one.width
    }
    return Double(sum) / Double(count)
  }
}
