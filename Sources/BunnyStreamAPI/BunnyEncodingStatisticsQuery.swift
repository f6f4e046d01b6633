public import FoundationEssentials

/// Of which encoding the statistics are asked for. What is nil or empty leaves it to the server.
public struct BunnyEncodingStatisticsQuery: Equatable, Sendable {
  /// The server takes nil for 14 days ago.
  public var from: Date?
  /// The server takes nil for now.
  public var to: Date?
  /// By the hour instead of by the day.
  public var isHourly: Bool?
  /// Only of these streams: at most 50 GUIDs.
  public var streamIds: [String]
  /// Only to these, as in `H264`, `VP9`, `HEVC`, `AV1`.
  public var videoCodecs: [String]
  /// Only in these heights.
  public var heights: [Int]

  public init(
    from: Date? = nil, to: Date? = nil, isHourly: Bool? = nil, streamIds: [String] = [],
    videoCodecs: [String] = [], heights: [Int] = []
  ) {
    self.from = from
    self.to = to
    self.isHourly = isHourly
    self.streamIds = streamIds
    self.videoCodecs = videoCodecs
    self.heights = heights
  }

  var flaw: String? {
    guard streamIds.count > 50 else { return nil }
    return "liveStreamGuids are \(streamIds.count); it takes at most 50"
  }

  var items: [RESTQueryItem] {
    .given(
      ("dateFrom", from.map(BunnyTimestamp.text)), ("dateTo", to.map(BunnyTimestamp.text)),
      ("hourly", isHourly.map { $0 ? "true" : "false" }))
      + streamIds.map { RESTQueryItem(name: "liveStreamGuids", value: $0) }
      + videoCodecs.map { RESTQueryItem(name: "videoCodecs", value: $0) }
      + heights.map { RESTQueryItem(name: "resolutions", value: "\($0)") }
  }
}
