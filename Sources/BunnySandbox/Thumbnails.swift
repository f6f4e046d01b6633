import BunnyBroadcast
import BunnySystem
package import Foundation
import Glibc

/// Pictures of a stream: frames of what viewers saw, and the one that its owner has set.
package enum Thumbnails {
  /// A picture that was sent to us.
  package struct Picture: Equatable, Sendable {
    package let name: String
    package let type: String
    package let bytes: [UInt8]
    package let at: Date
  }

  private static let types = ["image/jpeg", "image/png", "image/webp", "image/gif"]
  private static let mostBytes = 5_000_000
  private static let ffmpeg = "/usr/bin/ffmpeg"

  // MARK: Frames

  /// One of each segment that was shown, the newest first, with relative URLs, as Bunny writes them.
  ///
  /// - Parameter query: `limit`, 5 unless it is given, `from` and `to`.
  static func list(
    of stream: LiveStream, _ query: [String: String], at now: MonotonicTime
  ) -> JSONValue {
    guard let started = stream.live.startedAt, let playlist = stream.viewer?.playlist else {
      return .array([])
    }
    let facts = stream.facts
    var time = Date().addingTimeInterval(-Double(now - started) / 1e9)
    let frames = playlist.segments.map { segment in
      defer { time += segment.seconds }
      return (name: segment.name, at: time)
    }
    let (from, to) = (date(query["from"]) ?? .distantPast, date(query["to"]) ?? .distantFuture)
    let shown = frames.filter { from <= $0.at && $0.at <= to }
      .suffix(query["limit"].flatMap(Int.init) ?? 5).reversed()
    return .array(
      shown.map { frame in
        let name = frame.name.replacing(".ts", with: ".jpg")
        return .object([
          .init("url", .string("\(facts.streamId)/thumbs/\(name)")),
          .init("timestamp", .string(Wire.DateForm.ticks.text(frame.at))),
        ])
      })
  }

  private static func date(_ text: String?) -> Date? {
    text.flatMap { try? Date($0, strategy: .iso8601) }
  }

  /// The first frame of a segment.
  ///
  /// - Parameter folder: of the recording.
  static func frame(_ name: String, in folder: String) -> HTTPResponse {
    guard let number = name.wholeMatch(of: /segment-(\d+)\.jpg/)?.1 else { return .notFound }
    let (segment, picture) = ("\(folder)/segment-\(number).ts", "\(folder)/segment-\(number).jpg")
    guard access(segment, R_OK) == 0 else { return .notFound }
    if access(picture, R_OK) != 0 {
      let new = "\(picture).\(UInt32.random(in: 0...UInt32.max))"
      let words = [
        ffmpeg, "-v", "error", "-y", "-i", segment, "-frames:v", "1", "-f", "mjpeg", new,
      ]
      guard let making = try? StartedCommand(words) else { return HTTPResponse(500) }
      guard making.waitForEnd() == 0, rename(new, picture) == 0 else { return HTTPResponse(500) }
    }
    guard let bytes = try? Data(contentsOf: URL(filePath: picture)) else { return .notFound }
    return .bytes(Array(bytes), type: "image/jpeg")
  }

  // MARK: The owner's own

  /// What a request to set a picture comes to; a URL is not fetched, and one of `http` or `https` is taken
  /// for a picture.
  fileprivate static func picture(from request: HTTPRequest) -> Result<Picture, Refusal> {
    if let url = request.query["thumbnailUrl"] {
      guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
        return .failure(Refusal(status: 422, words: "The image could not be fetched."))
      }
      return .success(named(type: "image/jpeg", []))
    }
    guard let type = request.headers["content-type"], types.contains(type) else {
      return .failure(Refusal(status: 400, words: "The content type is not supported."))
    }
    guard request.body.count <= mostBytes else {
      return .failure(Refusal(status: 400, words: "The image is too large."))
    }
    return .success(named(type: type, request.body))
  }

  private static func named(type: String, _ bytes: [UInt8]) -> Picture {
    let number = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    let ending = type.split(separator: "/").last ?? ""
    return Picture(name: "thumbnail_\(number).\(ending)", type: type, bytes: bytes, at: Date())
  }

  /// A plain JSON string.
  fileprivate struct Refusal: Error {
    let status: Int
    let words: String
  }
}

extension LiveStream {
  func changeThumbnail(_ request: HTTPRequest) -> HTTPResponse {
    guard request.method == "POST" else {
      guard facts.thumbnail != nil else { return HTTPResponse(404) }
      settle { $0.thumbnail = nil }
      return HTTPResponse(204)
    }
    switch Thumbnails.picture(from: request) {
    case .success(let picture):
      settle { $0.thumbnail = picture }
      return Wire.answer(.done)
    case .failure(let refusal):
      return .json(.string(refusal.words), status: refusal.status)
    }
  }
}
