public import FoundationEssentials

/// A video of a library: a recording, or what was uploaded. What is nil or empty was not told.
public struct BunnyVideo: Equatable, Sendable {
  /// The video's GUID.
  public var id: String?
  /// The number of the library that it belongs to.
  public var libraryId: Int64?
  /// Its name, for people.
  public var title: String?
  /// What its owner wrote about it.
  public var description: String?
  /// How far it is; it can be played once it is ``BunnyVideoStatus/finished``.
  public var status = BunnyVideoStatus.unknown
  /// How much of it is encoded, in percent.
  public var encodeProgress: Int?
  /// Seconds.
  public var length: Int?
  /// Pixels.
  public var width: Int?
  /// Pixels.
  public var height: Int?
  /// Frames a second.
  public var framerate: Double?
  /// Degrees.
  public var rotation: Int?
  /// When it was made or uploaded.
  public var uploadedAt: Date?
  /// Whether anybody may watch it.
  public var isPublic: Bool?
  /// How often it was watched.
  public var views: Int64?
  /// As in `720p`.
  public var availableResolutions: [String] = []
  /// As in `x264`.
  public var outputCodecs: [String] = []
  /// How many pictures of it the server has made.
  public var thumbnailCount: Int?
  /// A path below the video's folder in the CDN zone.
  public var thumbnailFileName: String?
  /// Bytes.
  public var storageSize: Int64?
  /// The GUID of the collection that it lies in; nil when it lies in none.
  public var collectionId: String?
  /// Whether there are MP4 files too, for players without HLS.
  public var hasMP4Fallback: Bool?
  /// What the server had to say about encoding it.
  public var transcodingMessages: [BunnyTranscodingMessage] = []
  /// What sort of thing it is, as Bunny sees it.
  public var category: String?
  /// Seconds.
  public var averageWatchTime: Int64?
  /// Seconds, of all viewers together.
  public var totalWatchTime: Int64?
  /// Its named parts.
  public var chapters: [BunnyVideoChapter] = []
  /// Its named moments.
  public var moments: [BunnyVideoMoment] = []
  /// Those of the page that shows it.
  public var metaTags: [BunnyVideoMetaTag] = []

  /// One of which nothing else is known: for tests, and repositories of your own.
  public init(id: String?) { self.id = id }

  init?(_ json: JSON) {
    guard json.isObject else { return nil }
    id = json["guid"]?.word
    libraryId = json["videoLibraryId"]?.whole
    title = json["title"]?.text
    description = json["description"]?.text
    status = json["status"]?.int.map(BunnyVideoStatus.init(rawValue:)) ?? .unknown
    encodeProgress = json["encodeProgress"]?.int
    length = json["length"]?.int
    width = json["width"]?.int
    height = json["height"]?.int
    framerate = json["framerate"]?.real
    rotation = json["rotation"]?.int
    uploadedAt = json["dateUploaded"]?.date
    isPublic = json["isPublic"]?.flag
    views = json["views"]?.whole
    availableResolutions = json["availableResolutions"]?.words ?? []
    outputCodecs = json["outputCodecs"]?.words ?? []
    thumbnailCount = json["thumbnailCount"]?.int
    thumbnailFileName = json["thumbnailFileName"]?.word
    storageSize = json["storageSize"]?.whole
    collectionId = json["collectionId"]?.word
    hasMP4Fallback = json["hasMP4Fallback"]?.flag
    transcodingMessages = json.items("transcodingMessages") { BunnyTranscodingMessage($0) }
    category = json["category"]?.text
    averageWatchTime = json["averageWatchTime"]?.whole
    totalWatchTime = json["totalWatchTime"]?.whole
    chapters = json.items("chapters") { BunnyVideoChapter($0) }
    moments = json.items("moments") { BunnyVideoMoment($0) }
    metaTags = json.items("metaTags") { BunnyVideoMetaTag($0) }
  }
}

/// How far a video is. Bunny's webhooks number these otherwise.
public enum BunnyVideoStatus: Int, Equatable, Hashable, Sendable, CaseIterable {
  /// Not told, or a number that this version does not know.
  case unknown = -1
  /// Made, and nothing uploaded.
  case created = 0
  case uploaded = 1
  case processing = 2
  case transcoding = 3
  /// Can be played.
  case finished = 4
  case error = 5
  case uploadFailed = 6
  /// Being cut for encoding while it is watched.
  case jitSegmenting = 7
  case jitPlaylistsCreated = 8

  /// Never fails: other numbers are ``unknown``.
  public init(rawValue: Int) {
    self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown
  }

  /// Nothing will become of it.
  public var hasFailed: Bool { self == .error || self == .uploadFailed }
}

/// What the server had to say about encoding a video.
public struct BunnyTranscodingMessage: Equatable, Sendable {
  /// When it was said.
  public let time: Date?
  /// 0 not told, 1 information, 2 warning, 3 error.
  public let level: Int?
  /// Bunny's number for the matter.
  public let issueCode: Int?
  /// For people.
  public let message: String?
  /// What the message is about, as a number or a name.
  public let value: String?

  init?(_ json: JSON) {
    guard json.isObject else { return nil }
    time = json["timeStamp"]?.date
    level = json["level"]?.int
    issueCode = json["issueCode"]?.int
    message = json["message"]?.text
    value = json["value"]?.text
  }
}

/// A part of a video that has a name.
public struct BunnyVideoChapter: Equatable, Sendable {
  public var title: String
  /// Seconds from the beginning.
  public var start: Int
  /// Seconds from the beginning.
  public var end: Int

  public init(title: String, start: Int, end: Int) {
    self.title = title
    self.start = start
    self.end = end
  }

  init?(_ json: JSON) {
    guard let title = json["title"]?.text else { return nil }
    self.init(title: title, start: json["start"]?.int ?? 0, end: json["end"]?.int ?? 0)
  }

  var json: JSON {
    .object(["title": .text(title), "start": .whole(Int64(start)), "end": .whole(Int64(end))])
  }
}

/// A moment of a video that has a name.
public struct BunnyVideoMoment: Equatable, Sendable {
  public var label: String
  /// Seconds from the beginning.
  public var timestamp: Int

  public init(label: String, timestamp: Int) {
    self.label = label
    self.timestamp = timestamp
  }

  init?(_ json: JSON) {
    guard let label = json["label"]?.text else { return nil }
    self.init(label: label, timestamp: json["timestamp"]?.int ?? 0)
  }

  var json: JSON { .object(["label": .text(label), "timestamp": .whole(Int64(timestamp))]) }
}

/// A meta tag of the page that shows a video.
public struct BunnyVideoMetaTag: Equatable, Sendable {
  public var property: String
  public var value: String

  public init(property: String, value: String) {
    self.property = property
    self.value = value
  }

  init?(_ json: JSON) {
    guard let property = json["property"]?.text else { return nil }
    self.init(property: property, value: json["value"]?.text ?? "")
  }

  var json: JSON { .object(["property": .text(property), "value": .text(value)]) }
}
