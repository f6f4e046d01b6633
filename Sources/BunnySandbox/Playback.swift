import Foundation

/// Serves the viewer's HLS, and the page that plays it: `live.m3u8` lists the last few segments, like
/// every live stream, and `whole.m3u8` all of them; `/{streamId}/…` are pictures. Players on any page may fetch what is below `live`.
struct Playback: Sendable {
  let folder: String
  let viewer: Viewer
  let page: String
  /// A stream's own picture, by the stream's GUID and the file's name.
  let ownPicture: @Sendable (String, String) -> HTTPResponse

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else { return .wrongMethod }
    let parts = request.parts
    if parts.isEmpty || parts == ["watch"] { return .text(page, type: "text/html; charset=utf-8") }
    if parts.count == 3, parts[1] == "thumbs" { return Thumbnails.frame(parts[2], in: folder) }
    if parts.count == 2 { return ownPicture(parts[0], parts[1]) }
    guard parts.first == "live", parts.count == 3 else { return .notFound }
    var response = file(parts[2])
    response.isForAllPages = true
    return response
  }

  private func file(_ name: String) -> HTTPResponse {
    switch name {
    case "live.m3u8": playlist(\.window)
    case "whole.m3u8": playlist(\.whole)
    default: segment(name)
    }
  }

  private func playlist(_ text: KeyPath<Playlist, String>) -> HTTPResponse {
    let playlist = viewer.playlist
    guard !playlist.segments.isEmpty else { return .notFound }
    return .text(playlist[keyPath: text], type: "application/vnd.apple.mpegurl")
  }

  private func segment(_ name: String) -> HTTPResponse {
    let isPlain = name.utf8.allSatisfy { $0 == 0x2D || $0 == 0x2E || $0.isLetterOrDigit }
    guard isPlain, name.hasPrefix("segment-"), name.hasSuffix(".ts"),
      let bytes = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
    else { return .notFound }
    return .bytes(Array(bytes), type: "video/mp2t")
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x61...0x7A).contains(self) || (0x30...0x39).contains(self)
  }
}
