/// A collection of a library's videos. What is nil or empty was not told.
public struct BunnyCollection: Equatable, Sendable {
  /// The collection's GUID.
  public var id: String?
  /// The number of the library that it belongs to.
  public var libraryId: Int64?
  /// Its name, for people.
  public var name: String?
  /// How many videos lie in it.
  public var videoCount: Int64?
  /// Of all its videos, in bytes.
  public var totalSize: Int64?
  /// The GUIDs of the first few videos.
  public var previewVideoIds: [String] = []
  /// Only when thumbnails were asked for.
  public var previewImageUrls: [String] = []

  /// One of which nothing else is known: for tests, and repositories of your own.
  public init(id: String?) { self.id = id }

  init?(_ json: JSON) {
    guard json.isObject else { return nil }
    id = json["guid"]?.word
    libraryId = json["videoLibraryId"]?.whole
    name = json["name"]?.text
    videoCount = json["videoCount"]?.whole
    totalSize = json["totalSize"]?.whole
    previewVideoIds = json["previewVideoIds"]?.words ?? []
    previewImageUrls = json.items("previewImageUrls") { $0.word }
  }
}
