import FoundationEssentials

/// What a thumbnail may be. Bunny refuses HEIC, and a picture that does not say what it is.
public enum BunnyImageFormat: String, Equatable, Hashable, Sendable, CaseIterable {
  case jpeg, png, webp, gif

  /// Bunny takes about 5 MB; a larger one is not sent.
  public static let mostBytes = 5 << 20

  /// The HTTP content type.
  public var contentType: String { "image/\(rawValue)" }
}

extension RESTBody {
  init(_ picture: Data, _ format: BunnyImageFormat) {
    self.init(picture, type: format.contentType)
  }
}
