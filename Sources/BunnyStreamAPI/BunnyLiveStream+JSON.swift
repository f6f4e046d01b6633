extension BunnyLiveStream {
  /// Any object is a stream: whatever is missing in it, or of another type, is nil, false or none.
  init?(_ json: JSON) {
    guard json.isObject else { return nil }
    let rtmp = json["ingestEndpoints"]?["rtmp"]
    let dvrEnabled = json["dvrEnabled"]?.flag ?? false
    self.init(
      id: json["guid"]?.word ?? json["id"]?.word,
      libraryId: json["videoLibraryId"]?.whole,
      title: json["title"]?.text ?? json["name"]?.text,
      description: json["description"]?.text,
      streamKey: json["streamKey"]?.word,
      playbackUrl: json["playbackUrlHls"]?.word ?? json["playbackUrl"]?.word,
      primaryIngestUrl: rtmp?["primaryIngestUrl"]?.word,
      backupIngestUrl: rtmp?["backupIngestUrl"]?.word,
      status: BunnyLiveStreamStatus(rawValue: json["status"]?.int ?? 0),
      recordVod: json["recordVod"]?.flag ?? false,
      dvrEnabled: dvrEnabled,
      dvrWindowSeconds: dvrEnabled ? json["dvrWindowSeconds"]?.int ?? 0 : 0,
      isPublic: json["public"]?.flag ?? false,
      collectionId: json["collectionId"]?.text,
      scheduledStartTime: json["scheduledStartTime"]?.date,
      scheduledEndTime: json["scheduledEndTime"]?.date,
      enableCountdown: json["enableCountdown"]?.flag ?? false,
      preStreamTrailerVideoId: json["preStreamTrailerVideoId"]?.text,
      startedAt: json["startedAt"]?.date,
      thumbnailUrl: json["thumbnailUrl"]?.text,
      thumbnailFileName: json["thumbnailFileName"]?.text,
      primaryLive: json["primaryLive"]?.flag,
      backupLive: json["backupLive"]?.flag,
      ingestRegion: json["ingestRegion"]?.text,
      rtmpOutputs: (json["rtmpOutputs"]?.list ?? []).compactMap { BunnyRtmpOutput($0) },
      category: json["category"]?.text,
      createdAt: json["dateCreated"]?.date,
      endedAt: json["endedAt"]?.date,
      durationSeconds: json["durationSeconds"]?.int,
      availableResolutions: json["availableResolutions"]?.words ?? [],
      width: json["width"]?.int,
      height: json["height"]?.int,
      framerate: json["framerate"]?.real,
      peakConcurrentViewers: json["peakConcurrentViewers"]?.int,
      totalViewerSeconds: json["totalViewerSeconds"]?.whole,
      thumbnailUpdatedAt: json["thumbnailUpdatedAt"]?.date)
  }

}

extension BunnyLiveStream: HoldsSecrets {
  var secrets: [String] { ([streamKey] + rtmpOutputs.map(\.streamKey)).compactMap { $0 } }
}
