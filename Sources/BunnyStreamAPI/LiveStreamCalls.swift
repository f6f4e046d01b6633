// The calls of Bunny's live streams. Each stream's are below /library/{libraryId}/live/{streamId}.

extension RESTCall where Answer == BunnyLiveStream {
  package static func getLiveStream(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      method: .get, path: path(to: streamId, in: libraryId),
      purpose: "get \(name(streamId, libraryId))"
    ) { body in
      body.json.flatMap { BunnyLiveStream($0) }
    }
  }
}

extension RESTCall where Answer == BunnyLiveStreamIngestStatus {
  package static func ingestStatus(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      method: .get, path: path(to: streamId, in: libraryId) + ["status"],
      purpose: "ask for the ingest status of \(name(streamId, libraryId))"
    ) { body in
      body.json.flatMap { BunnyLiveStreamIngestStatus($0) }
    }
  }
}

extension RESTCall where Answer == Void {
  package static func startLiveStream(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      method: .put, path: path(to: streamId, in: libraryId) + ["start"],
      purpose: "start \(name(streamId, libraryId))", read: anyJSONOrNothing)
  }

  package static func stopLiveStream(_ streamId: String, in libraryId: Int) -> Self {
    RESTCall(
      method: .put, path: path(to: streamId, in: libraryId) + ["stop"],
      purpose: "stop \(name(streamId, libraryId))", read: anyJSONOrNothing)
  }

  /// Bunny's specification, its clients and its server differ in what a start and a stop answer with:
  /// the stream, a StatusModel, nothing. A page of text is somebody else's answer.
  private static func anyJSONOrNothing(_ body: AnswerBody) -> Void? {
    body.isEmpty || body.json != nil ? () : nil
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
