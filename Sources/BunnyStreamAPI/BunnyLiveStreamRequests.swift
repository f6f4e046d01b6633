public import FoundationEssentials

/// What a new live stream is to be. Only what is set is sent; the server chooses the rest.
public struct BunnyLiveStreamCreateRequest: Equatable, Sendable {
  /// Its name, for people. Not blank.
  public var title: String
  /// What there is to know about it, for people.
  public var description: String?
  /// The GUID of the collection that it shall lie in.
  public var collectionId: String?
  /// With it the stream is ``BunnyLiveStreamStatus/scheduled`` at first.
  public var scheduledStartTime: Date?
  /// Later than ``scheduledStartTime``.
  public var scheduledEndTime: Date?
  /// Whether anybody may watch it; the server takes nil for yes.
  public var isPublic: Bool?
  /// Whether viewers can go back while it is live. Needs ``dvrWindowSeconds``.
  public var dvrEnabled: Bool?
  /// How far viewers can go back, in seconds: 1 to 43200.
  public var dvrWindowSeconds: Int?
  /// Whether it is kept as a video once it has ended.
  public var recordVod: Bool?
  /// Whether viewers see how long it is to ``scheduledStartTime``, which it needs.
  public var enableCountdown: Bool?
  /// The GUID of a video to show before the stream starts.
  public var preStreamTrailerVideoId: String?
  /// At most four servers to which Bunny shall forward the stream.
  public var rtmpOutputs: [BunnyRtmpOutput]?

  public init(
    title: String, description: String? = nil, collectionId: String? = nil,
    scheduledStartTime: Date? = nil, scheduledEndTime: Date? = nil, isPublic: Bool? = nil,
    dvrEnabled: Bool? = nil, dvrWindowSeconds: Int? = nil, recordVod: Bool? = nil,
    enableCountdown: Bool? = nil, preStreamTrailerVideoId: String? = nil,
    rtmpOutputs: [BunnyRtmpOutput]? = nil
  ) {
    self.title = title
    self.description = description
    self.collectionId = collectionId
    self.scheduledStartTime = scheduledStartTime
    self.scheduledEndTime = scheduledEndTime
    self.isPublic = isPublic
    self.dvrEnabled = dvrEnabled
    self.dvrWindowSeconds = dvrWindowSeconds
    self.recordVod = recordVod
    self.enableCountdown = enableCountdown
    self.preStreamTrailerVideoId = preStreamTrailerVideoId
    self.rtmpOutputs = rtmpOutputs
  }

  var fields: BunnyLiveStreamUpdateRequest {
    BunnyLiveStreamUpdateRequest(
      title: title, description: description, collectionId: collectionId,
      scheduledStartTime: scheduledStartTime, scheduledEndTime: scheduledEndTime,
      isPublic: isPublic, dvrEnabled: dvrEnabled, dvrWindowSeconds: dvrWindowSeconds,
      recordVod: recordVod, enableCountdown: enableCountdown,
      preStreamTrailerVideoId: preStreamTrailerVideoId, rtmpOutputs: rtmpOutputs)
  }

  func flaw(now: Date) -> String? {
    if dvrEnabled == true, dvrWindowSeconds == nil {
      return "dvrWindowSeconds is missing; with dvrEnabled it takes 1 to 43200"
    }
    if enableCountdown == true, scheduledStartTime == nil {
      return "scheduledStartTime is missing; enableCountdown counts down to it"
    }
    return fields.flaw(now: now)
  }
}

/// What is to change about a live stream. What is nil stays as it is, so nothing can be taken away but
/// by an empty text.
public struct BunnyLiveStreamUpdateRequest: Equatable, Sendable {
  /// Not blank.
  public var title: String?
  /// An empty text takes it away.
  public var description: String?
  /// The GUID of another collection.
  public var collectionId: String?
  /// Only for a stream that was not published to yet.
  public var scheduledStartTime: Date?
  /// Later than ``scheduledStartTime``.
  public var scheduledEndTime: Date?
  /// Whether anybody may watch it.
  public var isPublic: Bool?
  /// Whether viewers can go back while it is live.
  public var dvrEnabled: Bool?
  /// Seconds: 1 to 43200.
  public var dvrWindowSeconds: Int?
  /// Whether it is kept as a video once it has ended.
  public var recordVod: Bool?
  /// Whether viewers see how long it is to ``scheduledStartTime``.
  public var enableCountdown: Bool?
  /// The GUID of a video to show before the stream starts.
  public var preStreamTrailerVideoId: String?
  /// At most four. An empty list is not sent: Bunny refuses it.
  public var rtmpOutputs: [BunnyRtmpOutput]?

  public init(
    title: String? = nil, description: String? = nil, collectionId: String? = nil,
    scheduledStartTime: Date? = nil, scheduledEndTime: Date? = nil, isPublic: Bool? = nil,
    dvrEnabled: Bool? = nil, dvrWindowSeconds: Int? = nil, recordVod: Bool? = nil,
    enableCountdown: Bool? = nil, preStreamTrailerVideoId: String? = nil,
    rtmpOutputs: [BunnyRtmpOutput]? = nil
  ) {
    self.title = title
    self.description = description
    self.collectionId = collectionId
    self.scheduledStartTime = scheduledStartTime
    self.scheduledEndTime = scheduledEndTime
    self.isPublic = isPublic
    self.dvrEnabled = dvrEnabled
    self.dvrWindowSeconds = dvrWindowSeconds
    self.recordVod = recordVod
    self.enableCountdown = enableCountdown
    self.preStreamTrailerVideoId = preStreamTrailerVideoId
    self.rtmpOutputs = rtmpOutputs
  }

  var body: RESTBody {
    let outputs = (rtmpOutputs ?? []).map { output in
      JSON.object(
        JSONObject(
          ["endpoint": output.endpoint, "streamKey": output.streamKey].compactMapValues {
            $0.map(JSON.text)
          }))
    }
    return RESTBody([
      "title": title.map(JSON.text), "description": description.map(JSON.text),
      "collectionId": collectionId.map(JSON.text),
      "scheduledStartTime": scheduledStartTime.map { JSON($0) },
      "scheduledEndTime": scheduledEndTime.map { JSON($0) }, "public": isPublic.map(JSON.flag),
      "dvrEnabled": dvrEnabled.map(JSON.flag),
      "dvrWindowSeconds": dvrWindowSeconds.map { .whole(Int64($0)) },
      "recordVod": recordVod.map(JSON.flag), "enableCountdown": enableCountdown.map(JSON.flag),
      "preStreamTrailerVideoId": preStreamTrailerVideoId.map(JSON.text),
      "rtmpOutputs": outputs.isEmpty ? nil : .list(outputs),
    ])
  }

  var secrets: [String] { (rtmpOutputs ?? []).compactMap(\.streamKey) }

  func flaw(now: Date) -> String? {
    let outputs = rtmpOutputs ?? []
    if outputs.count > 4 { return "rtmpOutputs are \(outputs.count); it takes at most 4" }
    if outputs.contains(where: { $0.endpoint?.allSatisfy(\.isWhitespace) ?? true }) {
      return "rtmpOutputs has one without an endpoint; it takes an RTMP URL"
    }
    return Flaw.blank("title", title)
      ?? Flaw.range("dvrWindowSeconds", dvrWindowSeconds, 1...43200)
      ?? Flaw.past("scheduledStartTime", scheduledStartTime, now: now)
      ?? Flaw.past("scheduledEndTime", scheduledEndTime, now: now)
      ?? Flaw.order(
        ("scheduledStartTime", scheduledStartTime), ("scheduledEndTime", scheduledEndTime))
  }
}
