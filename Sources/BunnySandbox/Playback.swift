import Foundation

/// Serves the HLS of the recording's folder, and the page that plays it.
struct Playback: Sendable {
  let folder: String
  let page: String

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else { return .wrongMethod }
    let parts = request.parts
    if parts.isEmpty || parts == ["watch"] { return .text(page, type: "text/html; charset=utf-8") }
    guard parts.first == "live", parts.count == 3, let type = Self.type(of: parts[2]),
      let bytes = try? Data(contentsOf: URL(filePath: "\(folder)/\(parts[2])"))
    else { return .notFound }
    return .bytes(Array(bytes), type: type)
  }

  /// nil for what is no file of ours.
  private static func type(of name: String) -> String? {
    if name == HLSRecording.playlistName { return "application/vnd.apple.mpegurl" }
    let isPlain = name.utf8.allSatisfy { $0 == 0x2D || $0 == 0x2E || ($0 | 0x20).isLetterOrDigit }
    return isPlain && name.hasPrefix("segment-") && name.hasSuffix(".ts") ? "video/mp2t" : nil
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x61...0x7A).contains(self) || (0x30...0x39).contains(self)
  }
}
