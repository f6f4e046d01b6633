package import FoundationEssentials

// The calls of Bunny's live streams. Each stream's are below /library/{libraryId}/live/{streamId}.

extension RESTCall where Answer == BunnyLiveStream {
  package static func getLiveStream(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      .get, path(to: streamId, in: libraryId), to: "get \(name(streamId, libraryId))", .read,
      read: stream)
  }

  /// - Parameter now: a planned time must be later.
  package static func createLiveStream(
    _ request: BunnyLiveStreamCreateRequest, in libraryId: Int, now: Date
  ) -> Self {
    RESTCall(
      .post, ["library", "\(libraryId)", "live"], body: request.fields.body,
      to: "create a live stream in library \(libraryId)", .once, flaw: request.flaw(now: now),
      secrets: request.fields.secrets, read: stream)
  }

  package static func updateLiveStream(
    _ streamId: String, _ request: BunnyLiveStreamUpdateRequest, in libraryId: Int, now: Date
  ) -> Self {
    RESTCall(
      .put, path(to: streamId, in: libraryId), body: request.body,
      to: "update \(name(streamId, libraryId))", .same, flaw: request.flaw(now: now),
      secrets: request.secrets, read: stream)
  }

  package static func regenerateStreamKey(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      .put, path(to: streamId, in: libraryId) + ["regenerate-key"],
      to: "regenerate the key of \(name(streamId, libraryId))", .once, read: stream)
  }

  private static func stream(_ body: AnswerBody) -> BunnyLiveStream? {
    body.json.flatMap { BunnyLiveStream($0) }
  }
}

extension RESTCall where Answer == BunnyLiveStreamList {
  /// A library without any live stream answers 404: an empty page.
  package static func listLiveStreams(
    in libraryId: Int, page: Int?, itemsPerPage: Int?, search: String?, orderBy: String?,
    collectionId: String?
  ) -> Self {
    let query = PageQuery(page: page, itemsPerPage: itemsPerPage, search: search, orderBy: orderBy)
    return RESTCall(
      .get, ["library", "\(libraryId)", "live"],
      query: query.items + .given(("collectionId", collectionId)),
      to: "list the live streams of library \(libraryId)", .read,
      flaw: query.flaw(orders: ["date", "title", "status", "started", "ended", "planned"]),
      missing: query.empty()
    ) { body in
      BunnyPage(body.json) { BunnyLiveStream($0) }
    }
  }
}

extension RESTCall where Answer == BunnyLiveStreamIngestStatus {
  package static func ingestStatus(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      .get, path(to: streamId, in: libraryId) + ["status"],
      to: "ask for the ingest status of \(name(streamId, libraryId))", .read
    ) { body in
      body.json.flatMap { BunnyLiveStreamIngestStatus($0) }
    }
  }
}

extension RESTCall where Answer == BunnyLiveStreamPlayData {
  package static func playData(
    _ streamId: String, in libraryId: Int, token: String?, expires: Int64?
  ) -> Self {
    RESTCall(
      .get, path(to: streamId, in: libraryId) + ["play"],
      query: .given(("token", token), ("expires", expires.map(String.init))),
      to: "get the play data of \(name(streamId, libraryId))", .read,
      flaw: expires.flatMap { $0 < 0 ? "expires is \($0); it takes UNIX seconds" : nil },
      secrets: [token].compactMap(\.self)
    ) { body in
      body.json.flatMap { BunnyLiveStreamPlayData($0) }
    }
  }
}

extension RESTCall where Answer == [BunnyLiveStreamThumbnail] {
  package static func listThumbnails(
    _ streamId: String, in libraryId: Int, limit: Int?, from: Date?, to: Date?
  ) -> Self {
    RESTCall(
      .get, path(to: streamId, in: libraryId) + ["thumbnails"],
      query: .given(
        ("limit", limit.map(String.init)), ("from", from.map(BunnyTimestamp.wholeSeconds)),
        ("to", to.map(BunnyTimestamp.wholeSeconds))),
      to: "list the thumbnails of \(name(streamId, libraryId))", .read,
      flaw: Flaw.count("limit", limit)
    ) { body in
      body.json?.list?.compactMap { BunnyLiveStreamThumbnail($0) }
    }
  }
}

extension RESTCall where Answer == Void {
  package static func startLiveStream(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      .put, path(to: streamId, in: libraryId) + ["start"], to: "start \(name(streamId, libraryId))",
      .same, read: anyJSONOrNothing)
  }

  package static func stopLiveStream(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      .put, path(to: streamId, in: libraryId) + ["stop"], to: "stop \(name(streamId, libraryId))",
      .same, read: anyJSONOrNothing)
  }

  package static func deleteLiveStream(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      .delete, path(to: streamId, in: libraryId), to: "delete \(name(streamId, libraryId))", .same,
      read: anyJSONOrNothing)
  }

  package static func setThumbnail(
    _ url: String, of streamId: String, in libraryId: Int
  ) -> Self {
    setThumbnail(url, at: path(to: streamId, in: libraryId), of: name(streamId, libraryId))
  }

  package static func uploadThumbnail(
    _ picture: Data, _ format: BunnyImageFormat, of streamId: String, in libraryId: Int
  ) -> Self {
    uploadThumbnail(
      picture, format, at: path(to: streamId, in: libraryId), of: name(streamId, libraryId))
  }

  package static func deleteThumbnail(
    of streamId: String, in libraryId: Int, restoreLibraryDefault: Bool
  ) -> Self {
    RESTCall(
      .delete, path(to: streamId, in: libraryId) + ["thumbnail"],
      query: .given(("restoreLibraryDefault", restoreLibraryDefault ? "true" : nil)),
      to: "delete the thumbnail of \(name(streamId, libraryId))", .same, read: anyJSONOrNothing)
  }

  /// Of what lies at `path`, and is called `name`.
  static func setThumbnail(_ url: String, at path: [String], of name: String) -> Self {
    RESTCall(
      .post, path + ["thumbnail"], query: .given(("thumbnailUrl", url)),
      to: "set the thumbnail of \(name)", .same, flaw: Flaw.address("thumbnailUrl", url),
      read: anyJSONOrNothing)
  }

  static func uploadThumbnail(
    _ picture: Data, _ format: BunnyImageFormat, at path: [String], of name: String
  ) -> Self {
    RESTCall(
      .post, path + ["thumbnail"], body: RESTBody(picture, format),
      to: "upload the thumbnail of \(name)", .same, flaw: Flaw.picture("imageData", picture),
      read: anyJSONOrNothing)
  }

  /// Bunny's specification, its clients and its server differ in what a change answers with: the
  /// stream, a StatusModel, nothing. A page of text is somebody else's answer.
  static func anyJSONOrNothing(_ body: AnswerBody) -> Void? {
    body.isEmpty || body.json != nil ? () : nil
  }
}

extension RESTCall where Answer == Data {
  package static func bitrateHistory(
    of streamId: String, in libraryId: Int, from: Date?, to: Date?
  ) -> Self {
    RESTCall(
      .get, path(to: streamId, in: libraryId) + ["bitrate-history"],
      query: .given(
        ("startTime", from.map(BunnyTimestamp.text)), ("endTime", to.map(BunnyTimestamp.text))),
      to: "get the bit rates of \(name(streamId, libraryId))", .read, read: \.bytes)
  }

  package static func currentBitrate(of streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      .get, path(to: streamId, in: libraryId) + ["current-bitrate"],
      to: "get the bit rate of \(name(streamId, libraryId))", .read, read: \.bytes)
  }

  package static func encodingStatistics(
    in libraryId: Int, _ query: BunnyEncodingStatisticsQuery
  ) -> Self {
    RESTCall(
      .get, ["library", "\(libraryId)", "live", "statistics", "encoding"], query: query.items,
      to: "get the encoding statistics of library \(libraryId)", .read, flaw: query.flaw,
      read: \.bytes)
  }
}

extension RESTCall {
  fileprivate static func path(to streamId: String, in libraryId: Int) -> [String] {
    ["library", "\(libraryId)", "live", streamId]
  }

  fileprivate static func name(_ streamId: String, _ libraryId: Int) -> String {
    "the live stream \(streamId.prefix(100)) of library \(libraryId)"
  }
}
