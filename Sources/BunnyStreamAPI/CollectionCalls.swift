// The calls of collections.

extension RESTCall where Answer == BunnyCollection {
  package static func getCollection(
    _ collectionId: String, in libraryId: Int, includeThumbnails: Bool
  ) -> Self {
    RESTCall(
      .get, path(to: collectionId, in: libraryId), query: thumbnails(includeThumbnails),
      to: "get \(name(collectionId, libraryId))", .read, read: collection)
  }

  package static func createCollection(_ name: String, in libraryId: Int) -> Self {
    RESTCall(
      .post, ["library", "\(libraryId)", "collections"], body: RESTBody(["name": .text(name)]),
      to: "create a collection in library \(libraryId)", .once, flaw: Flaw.blank("name", name),
      read: collection)
  }

  private static func collection(_ body: AnswerBody) -> BunnyCollection? {
    body.json.flatMap { BunnyCollection($0) }
  }
}

extension RESTCall where Answer == BunnyCollectionList {
  package static func listCollections(
    in libraryId: Int, page: Int?, itemsPerPage: Int?, search: String?, orderBy: String?,
    includeThumbnails: Bool
  ) -> Self {
    let query = PageQuery(page: page, itemsPerPage: itemsPerPage, search: search, orderBy: orderBy)
    return RESTCall(
      .get, ["library", "\(libraryId)", "collections"],
      query: query.items + thumbnails(includeThumbnails),
      to: "list the collections of library \(libraryId)", .read, flaw: query.flaw()
    ) { body in
      BunnyPage(body.json) { BunnyCollection($0) }
    }
  }
}

extension RESTCall where Answer == Void {
  package static func updateCollection(
    _ collectionId: String, name: String, in libraryId: Int
  ) -> Self {
    RESTCall(
      .post, path(to: collectionId, in: libraryId), body: RESTBody(["name": .text(name)]),
      to: "update \(self.name(collectionId, libraryId))", .same, flaw: Flaw.blank("name", name),
      read: anyJSONOrNothing)
  }

  package static func deleteCollection(_ collectionId: String, in libraryId: Int) -> Self {
    RESTCall(
      .delete, path(to: collectionId, in: libraryId),
      to: "delete \(name(collectionId, libraryId))", .same, read: anyJSONOrNothing)
  }
}

extension RESTCall {
  fileprivate static func thumbnails(_ areIncluded: Bool) -> [RESTQueryItem] {
    .given(("includeThumbnails", areIncluded ? "true" : nil))
  }

  fileprivate static func path(to collectionId: String, in libraryId: Int) -> [String] {
    ["library", "\(libraryId)", "collections", collectionId]
  }

  fileprivate static func name(_ collectionId: String, _ libraryId: Int) -> String {
    "the collection \(collectionId.prefix(100)) of library \(libraryId)"
  }
}
