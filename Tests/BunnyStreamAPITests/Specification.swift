/// What the OpenAPI file of Bunny's Stream API, version 1.5.3, says about the operations of which this
/// library makes calls. Derived from it by a program; the file itself is not part of this repository.
enum Specification {
  enum Body: Equatable { case nothing, json, bytes }

  struct Operation: Sendable {
    let name: String
    /// Method and path, with the names of the path's parameters.
    let place: String
    let query: [String]
    let body: Body
    /// Of a JSON body.
    let fields: [String]
    /// Of all answers that it documents.
    let statuses: [Int]

    init(
      _ name: String, _ place: String, query: [String], body: Body, fields: [String],
      statuses: [Int]
    ) {
      (self.name, self.place, self.query) = (name, place, query)
      (self.body, self.fields, self.statuses) = (body, fields, statuses)
    }
  }

  static func operation(_ name: String) -> Operation? { operations.first { $0.name == name } }

  static let operations: [Operation] = [
    Operation(
      "Collection_GetCollection", "GET /library/{libraryId}/collections/{collectionId}",
      query: ["includeThumbnails"],
      body: .nothing, fields: [],
      statuses: [200, 401, 404, 500]),
    Operation(
      "Collection_UpdateCollection", "POST /library/{libraryId}/collections/{collectionId}",
      query: [],
      body: .json, fields: ["name"],
      statuses: [200, 401, 403, 404, 500]),
    Operation(
      "Collection_DeleteCollection", "DELETE /library/{libraryId}/collections/{collectionId}",
      query: [],
      body: .nothing, fields: [],
      statuses: [200, 401, 403, 404, 500]),
    Operation(
      "Collection_List", "GET /library/{libraryId}/collections",
      query: ["page", "itemsPerPage", "search", "orderBy", "includeThumbnails"],
      body: .nothing, fields: [],
      statuses: [200, 401, 500]),
    Operation(
      "Collection_CreateCollection", "POST /library/{libraryId}/collections", query: [],
      body: .json, fields: ["name"],
      statuses: [200, 401, 403, 500]),
    Operation(
      "LiveStatistics_GetEncodingStatistics", "GET /library/{libraryId}/live/statistics/encoding",
      query: ["dateFrom", "dateTo", "hourly", "liveStreamGuids", "videoCodecs", "resolutions"],
      body: .nothing, fields: [],
      statuses: [200, 400, 401, 404, 500, 503]),
    Operation(
      "LiveStream_GetByStreamId", "GET /library/{libraryId}/live/{streamId}", query: [],
      body: .nothing, fields: [],
      statuses: [200, 401, 404, 500]),
    Operation(
      "LiveStream_Update", "PUT /library/{libraryId}/live/{streamId}", query: [],
      body: .json,
      fields: [
        "title", "description", "collectionId", "dvrEnabled", "dvrWindowSeconds", "recordVod",
        "scheduledStartTime", "scheduledEndTime", "public", "enableCountdown",
        "preStreamTrailerVideoId", "rtmpOutputs",
      ],
      statuses: [200, 400, 401, 403, 404, 500]),
    Operation(
      "LiveStream_Delete", "DELETE /library/{libraryId}/live/{streamId}", query: [],
      body: .nothing, fields: [],
      statuses: [200, 400, 401, 403, 404, 500]),
    Operation(
      "LiveStream_GetStreamPlayData", "GET /library/{libraryId}/live/{streamId}/play",
      query: ["token", "expires"],
      body: .nothing, fields: [],
      statuses: [200, 401, 403, 404, 500]),
    Operation(
      "LiveStream_Create", "POST /library/{libraryId}/live", query: [],
      body: .json,
      fields: [
        "title", "description", "collectionId", "dvrEnabled", "dvrWindowSeconds", "recordVod",
        "scheduledStartTime", "scheduledEndTime", "public", "enableCountdown", "rtmpOutputs",
        "preStreamTrailerVideoId",
      ],
      statuses: [200, 400, 401, 403, 500]),
    Operation(
      "LiveStream_List", "GET /library/{libraryId}/live",
      query: ["page", "itemsPerPage", "search", "orderBy", "collectionId"],
      body: .nothing, fields: [],
      statuses: [200, 400, 401, 404, 500]),
    Operation(
      "LiveStream_StartStream", "PUT /library/{libraryId}/live/{streamId}/start", query: [],
      body: .nothing, fields: [],
      statuses: [200, 400, 401, 403, 404, 500]),
    Operation(
      "LiveStream_StopStream", "PUT /library/{libraryId}/live/{streamId}/stop", query: [],
      body: .nothing, fields: [],
      statuses: [200, 400, 401, 403, 404, 500]),
    Operation(
      "LiveStream_RegenerateStreamKey", "PUT /library/{libraryId}/live/{streamId}/regenerate-key",
      query: [],
      body: .nothing, fields: [],
      statuses: [200, 400, 401, 403, 404, 500]),
    Operation(
      "LiveStream_GetBitrateHistory", "GET /library/{libraryId}/live/{streamId}/bitrate-history",
      query: ["startTime", "endTime"],
      body: .nothing, fields: [],
      statuses: [200]),
    Operation(
      "LiveStream_GetLatestBitrate", "GET /library/{libraryId}/live/{streamId}/current-bitrate",
      query: [],
      body: .nothing, fields: [],
      statuses: [200]),
    Operation(
      "LiveStream_SetThumbnail", "POST /library/{libraryId}/live/{streamId}/thumbnail",
      query: ["thumbnailUrl"],
      body: .bytes, fields: [],
      statuses: [200, 400, 401, 403, 404, 422, 500]),
    Operation(
      "LiveStream_DeleteThumbnail", "DELETE /library/{libraryId}/live/{streamId}/thumbnail",
      query: ["restoreLibraryDefault"],
      body: .nothing, fields: [],
      statuses: [204, 401, 403, 404, 500]),
    Operation(
      "LiveStream_GetThumbnails", "GET /library/{libraryId}/live/{streamId}/thumbnails",
      query: ["limit", "from", "to"],
      body: .nothing, fields: [],
      statuses: [200, 400, 401, 404, 500]),
    Operation(
      "LiveStream_GetStreamStatus", "GET /library/{libraryId}/live/{streamId}/status", query: [],
      body: .nothing, fields: [],
      statuses: [200, 400, 401, 403, 404, 500]),
    Operation(
      "Video_GetVideo", "GET /library/{libraryId}/videos/{videoId}", query: [],
      body: .nothing, fields: [],
      statuses: [200, 401, 404, 500]),
    Operation(
      "Video_UpdateVideo", "POST /library/{libraryId}/videos/{videoId}", query: [],
      body: .json, fields: ["title", "collectionId", "chapters", "moments", "metaTags"],
      statuses: [200, 401, 403, 404, 500]),
    Operation(
      "Video_DeleteVideo", "DELETE /library/{libraryId}/videos/{videoId}", query: [],
      body: .nothing, fields: [],
      statuses: [200, 401, 403, 404, 500]),
    Operation(
      "Video_List", "GET /library/{libraryId}/videos",
      query: ["page", "itemsPerPage", "search", "collection", "orderBy"],
      body: .nothing, fields: [],
      statuses: [200, 401, 500]),
    Operation(
      "Video_CreateVideo", "POST /library/{libraryId}/videos", query: [],
      body: .json, fields: ["title", "collectionId", "thumbnailTime"],
      statuses: [200, 400, 401, 403, 500]),
    Operation(
      "Video_SetThumbnail", "POST /library/{libraryId}/videos/{videoId}/thumbnail",
      query: ["thumbnailUrl"],
      body: .bytes, fields: [],
      statuses: [200, 400, 401, 403, 404, 422, 500]),
  ]
}
