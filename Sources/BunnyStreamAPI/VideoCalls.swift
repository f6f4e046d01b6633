package import FoundationEssentials

// The calls of videos. Each one's are below /library/{libraryId}/videos/{videoId}.

extension RESTCall where Answer == BunnyVideo {
  package static func getVideo(_ videoId: String, in libraryId: Int) -> Self {
    RESTCall(
      .get, path(to: videoId, in: libraryId), to: "get \(name(videoId, libraryId))", .read,
      read: video)
  }

  package static func createVideo(
    _ request: BunnyVideoCreateRequest, in libraryId: Int
  ) -> Self {
    RESTCall(
      .post, ["library", "\(libraryId)", "videos"], body: request.body,
      to: "create a video in library \(libraryId)", .once, flaw: request.flaw, read: video)
  }

  private static func video(_ body: AnswerBody) -> BunnyVideo? {
    body.json.flatMap { BunnyVideo($0) }
  }
}

extension RESTCall where Answer == BunnyVideoList {
  package static func listVideos(
    in libraryId: Int, page: Int?, itemsPerPage: Int?, search: String?, collectionId: String?,
    orderBy: String?
  ) -> Self {
    let query = PageQuery(page: page, itemsPerPage: itemsPerPage, search: search, orderBy: orderBy)
    return RESTCall(
      .get, ["library", "\(libraryId)", "videos"],
      query: query.items + .given(("collection", collectionId)),
      to: "list the videos of library \(libraryId)", .read, flaw: query.flaw()
    ) { body in
      BunnyPage(body.json) { BunnyVideo($0) }
    }
  }
}

extension RESTCall where Answer == Void {
  package static func updateVideo(
    _ videoId: String, _ request: BunnyVideoUpdateRequest, in libraryId: Int
  ) -> Self {
    RESTCall(
      .post, path(to: videoId, in: libraryId), body: request.body,
      to: "update \(name(videoId, libraryId))", .same, flaw: request.flaw, read: anyJSONOrNothing)
  }

  package static func deleteVideo(_ videoId: String, in libraryId: Int) -> Self {
    RESTCall(
      .delete, path(to: videoId, in: libraryId), to: "delete \(name(videoId, libraryId))", .same,
      read: anyJSONOrNothing)
  }

  package static func setThumbnail(
    _ url: String, ofVideo videoId: String, in libraryId: Int
  ) -> Self {
    setThumbnail(url, at: path(to: videoId, in: libraryId), of: name(videoId, libraryId))
  }

  package static func uploadThumbnail(
    _ picture: Data, _ format: BunnyImageFormat, ofVideo videoId: String, in libraryId: Int
  ) -> Self {
    uploadThumbnail(
      picture, format, at: path(to: videoId, in: libraryId), of: name(videoId, libraryId))
  }
}

extension RESTCall {
  fileprivate static func path(to videoId: String, in libraryId: Int) -> [String] {
    ["library", "\(libraryId)", "videos", videoId]
  }

  fileprivate static func name(_ videoId: String, _ libraryId: Int) -> String {
    "the video \(videoId.prefix(100)) of library \(libraryId)"
  }
}
