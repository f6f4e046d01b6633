/// What a new video is to be. Its file is uploaded afterwards.
public struct BunnyVideoCreateRequest: Equatable, Sendable {
  /// Not blank.
  public var title: String
  /// The GUID of the collection that it shall lie in.
  public var collectionId: String?
  /// Where in the video its thumbnail is taken, in milliseconds.
  public var thumbnailTime: Int?

  public init(title: String, collectionId: String? = nil, thumbnailTime: Int? = nil) {
    self.title = title
    self.collectionId = collectionId
    self.thumbnailTime = thumbnailTime
  }

  var body: RESTBody {
    RESTBody([
      "title": .text(title), "collectionId": collectionId.map(JSON.text),
      "thumbnailTime": thumbnailTime.map { .whole(Int64($0)) },
    ])
  }

  var flaw: String? {
    Flaw.blank("title", title)
      ?? Flaw.range("thumbnailTime", thumbnailTime, 0...Int(Int32.max))
  }
}

/// What is to change about a video. What is nil stays as it is.
public struct BunnyVideoUpdateRequest: Equatable, Sendable {
  /// Not blank.
  public var title: String?
  /// The GUID of another collection.
  public var collectionId: String?
  /// Its named parts.
  public var chapters: [BunnyVideoChapter]?
  /// Its named moments.
  public var moments: [BunnyVideoMoment]?
  /// Those of the page that shows it.
  public var metaTags: [BunnyVideoMetaTag]?

  public init(
    title: String? = nil, collectionId: String? = nil, chapters: [BunnyVideoChapter]? = nil,
    moments: [BunnyVideoMoment]? = nil, metaTags: [BunnyVideoMetaTag]? = nil
  ) {
    self.title = title
    self.collectionId = collectionId
    self.chapters = chapters
    self.moments = moments
    self.metaTags = metaTags
  }

  var body: RESTBody {
    RESTBody([
      "title": title.map(JSON.text), "collectionId": collectionId.map(JSON.text),
      "chapters": chapters.map { .list($0.map(\.json)) },
      "moments": moments.map { .list($0.map(\.json)) },
      "metaTags": metaTags.map { .list($0.map(\.json)) },
    ])
  }

  var flaw: String? { Flaw.blank("title", title) }
}
