package import BunnyMedia
import Foundation

/// Writes what a viewer sees as HLS into a folder, whole: a playlist and segments of two seconds.
///
/// Belongs to one thread at a time.
package final class HLSRecording {
  package static let playlistName = "live.m3u8"

  /// Milliseconds after which a keyframe begins another segment.
  private static let segmentLength: Int64 = 1900
  /// Milliseconds between two pictures that are a break for players.
  private static let longestStep: Int64 = 1500

  private let folder: String
  package private(set) var playlist = Playlist()
  private var headers: [MediaTag.Kind: MediaTag] = [:]
  private var muxer: TransportStreamMuxer?
  private var start: Int64?  // of the segment being written
  private var last: Int64 = 0  // picture's or, without any, sound's
  private var isDiscontinuous = false

  /// - Parameter folder: exists already.
  package init(folder: String) { self.folder = folder }

  /// Adds what the viewer gets next.
  ///
  /// - Throws: ``AVFailure``, or what writing the files throws.
  package func write(_ tags: [MediaTag]) throws {
    for tag in tags {
      if tag.isSequenceHeader {
        try change(tag)
      } else {
        try add(tag)
      }
    }
  }

  /// Ends the last segment and the playlist.
  package func finish() throws {
    guard !playlist.isFinished else { return }
    try cut(at: last + 33)
    playlist.finish()
    try writePlaylist()
  }

  /// Other codec parameters need another muxer, and are a break for players.
  private func change(_ header: MediaTag) throws {
    try cut(at: last + 33)
    headers[header.kind] = header
    muxer = nil
    isDiscontinuous = !playlist.segments.isEmpty
  }

  private func add(_ tag: MediaTag) throws {
    let leads = tag.kind == .video || headers[.video] == nil
    if let start, leads {
      if tag.dts - last > Self.longestStep {
        try cut(at: last + 33)
        isDiscontinuous = true
      } else if tag.isKeyframe && tag.dts - start >= Self.segmentLength {
        try cut(at: tag.dts)
      }
    }
    let muxer =
      try muxer
      ?? TransportStreamMuxer(headers.values.sorted { $0.kind == .video && $1.kind != .video })
    self.muxer = muxer
    try muxer.write(tag)
    if leads {
      start = start ?? tag.dts
      last = tag.dts
    }
  }

  private func cut(at end: Int64) throws {
    guard let muxer, let start else { return }
    let name = "segment-\(String(100_000 + playlist.segments.count).dropFirst()).ts"
    try Data(muxer.cut()).write(to: URL(filePath: "\(folder)/\(name)"))
    playlist.add(
      .init(name: name, seconds: Double(end - start) / 1000, isDiscontinuous: isDiscontinuous))
    isDiscontinuous = false
    self.start = nil
    try writePlaylist()
  }

  private func writePlaylist() throws {
    try Data(playlist.whole.utf8).write(
      to: URL(filePath: "\(folder)/\(Self.playlistName)"), options: .atomic)
  }
}
