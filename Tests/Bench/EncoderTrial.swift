import BunnyMedia
import BunnyRTMP
import BunnySystem
import Foundation

/// A clip's pictures, and what it takes to encode them.
struct EncoderTrial {
  private let pictures: [Picture]
  /// Milliseconds: the first of several B-frames is decoded before zero.
  private static let shift: Int64 = 1000

  /// - Parameter clip: 4:2:0, of the size that it is encoded at. Decoded before anything is measured.
  init(_ clip: String, frames: Int) throws {
    let demuxer = try Demuxer("file:\(clip)")
    guard let track = demuxer.video else {
      throw BenchFailure(69, "\(clip) holds no picture; delete it, to have it made again")
    }
    let decoder = try Decoder(track)
    var pictures: [Picture] = []
    while pictures.count < frames, let (index, packet) = try demuxer.next() {
      if index == track.index { pictures += decoder.pictures(packet, at: .now) }
    }
    pictures += decoder.pictures(nil, at: .now)
    self.pictures = Array(pictures.prefix(frames))
  }

  /// As fast as it goes.
  ///
  /// - Returns: what came out, and the processor time of all threads, in milliseconds a picture.
  func encode(
    _ settings: VideoEncoder.Settings
  ) throws -> (tags: [RTMPTag], milliseconds: Double) {
    let encoder = try VideoEncoder(settings)
    var packets: [Packet] = []
    let before = ProcessorTime.ownSeconds
    for (index, picture) in pictures.enumerated() {
      packets += try encoder.encode(picture, at: Int64(index))
    }
    packets += try encoder.finish()
    let seconds = ProcessorTime.ownSeconds - before
    let muxer = try TagMuxer(encoder.parameters)
    let tags =
      try [muxer.sequenceHeader]
      + packets.compactMap {
        try muxer.tag($0, shift: Self.shift)
      }
    return (
      tags.map { RTMPTag(kind: .video, timestamp: $0.dts, body: $0.body) },
      seconds * 1000 / Double(pictures.count)
    )
  }
}
