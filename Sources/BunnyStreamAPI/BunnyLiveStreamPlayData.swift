/// What a player needs for a live stream, and how the library's owner wants it to look.
public struct BunnyLiveStreamPlayData: Equatable, Sendable {
  /// The stream itself.
  public let liveStream: BunnyLiveStream?
  /// For people.
  public let libraryName: String?
  /// The HLS playlist. Players try it first, then ``fallbackUrl``, then the stream's own.
  public let videoPlaylistUrl: String?
  /// The picture that is shown while the stream is off.
  public let thumbnailUrl: String?
  /// A moving preview, in WebP.
  public let previewUrl: String?
  /// Below it lie the small pictures for seeking.
  public let seekPath: String?
  /// Below it lie the captions.
  public let captionsPath: String?
  /// False when not told, as the other flags here.
  public let isDRMEnabled: Bool
  /// The player's main colour, in hexadecimal figures.
  public let playerKeyColor: String?
  /// The player's font.
  public let fontFamily: String?
  /// The language of the player's words, as in `en`.
  public let uiLanguage: String?
  /// Whether the player shows which parts are watched most.
  public let showHeatmap: Bool
  /// Whether the player keeps its controls small.
  public let enableCompactControls: Bool
  /// The names of the controls that the player shows.
  public let controls: [String]
  /// What to play where HLS does not.
  public let fallbackUrl: String?

  public init(
    liveStream: BunnyLiveStream?, libraryName: String? = nil, videoPlaylistUrl: String? = nil,
    thumbnailUrl: String? = nil, previewUrl: String? = nil, seekPath: String? = nil,
    captionsPath: String? = nil, isDRMEnabled: Bool = false, playerKeyColor: String? = nil,
    fontFamily: String? = nil, uiLanguage: String? = nil, showHeatmap: Bool = false,
    enableCompactControls: Bool = false, controls: [String] = [], fallbackUrl: String? = nil
  ) {
    self.liveStream = liveStream
    self.libraryName = libraryName
    self.videoPlaylistUrl = videoPlaylistUrl
    self.thumbnailUrl = thumbnailUrl
    self.previewUrl = previewUrl
    self.seekPath = seekPath
    self.captionsPath = captionsPath
    self.isDRMEnabled = isDRMEnabled
    self.playerKeyColor = playerKeyColor
    self.fontFamily = fontFamily
    self.uiLanguage = uiLanguage
    self.showHeatmap = showHeatmap
    self.enableCompactControls = enableCompactControls
    self.controls = controls
    self.fallbackUrl = fallbackUrl
  }

  init?(_ json: JSON) {
    guard json.isObject else { return nil }
    self.init(
      liveStream: json["liveStream"].flatMap { BunnyLiveStream($0) },
      libraryName: json["libraryName"]?.text,
      videoPlaylistUrl: json["videoPlaylistUrl"]?.word,
      thumbnailUrl: json["thumbnailUrl"]?.word,
      previewUrl: json["previewUrl"]?.word,
      seekPath: json["seekPath"]?.text,
      captionsPath: json["captionsPath"]?.text,
      isDRMEnabled: json["enableDRM"]?.flag ?? false,
      playerKeyColor: json["playerKeyColor"]?.text,
      fontFamily: json["fontFamily"]?.text,
      uiLanguage: json["uiLanguage"]?.text,
      showHeatmap: json["showHeatmap"]?.flag ?? false,
      enableCompactControls: json["enableCompactControls"]?.flag ?? false,
      controls: json["controls"]?.words ?? [],
      fallbackUrl: json["fallbackUrl"]?.word)
  }
}

extension BunnyLiveStreamPlayData: HoldsSecrets {
  var secrets: [String] { liveStream?.secrets ?? [] }
}
