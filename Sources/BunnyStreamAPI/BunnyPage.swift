/// One page of what a library holds. What the server has not told is empty or 0.
public struct BunnyPage<Item: Equatable & Sendable>: Equatable, Sendable {
  /// At most ``itemsPerPage``.
  public let items: [Item]
  /// On all pages together.
  public let totalItems: Int
  /// The first is 1.
  public let currentPage: Int
  /// How many a page has at most.
  public let itemsPerPage: Int

  public init(items: [Item], totalItems: Int, currentPage: Int, itemsPerPage: Int) {
    self.items = items
    self.totalItems = totalItems
    self.currentPage = currentPage
    self.itemsPerPage = itemsPerPage
  }

  init?(_ json: JSON?, _ item: (JSON) -> Item?) {
    guard let json, json.isObject else { return nil }
    self.init(
      items: (json["items"]?.list ?? []).compactMap(item),
      totalItems: json["totalItems"]?.int ?? 0,
      currentPage: json["currentPage"]?.int ?? 0,
      itemsPerPage: json["itemsPerPage"]?.int ?? 0)
  }
}

extension BunnyPage: HoldsSecrets where Item: HoldsSecrets {
  var secrets: [String] { items.flatMap(\.secrets) }
}

/// One page of live streams.
public typealias BunnyLiveStreamList = BunnyPage<BunnyLiveStream>
/// One page of videos.
public typealias BunnyVideoList = BunnyPage<BunnyVideo>
/// One page of collections.
public typealias BunnyCollectionList = BunnyPage<BunnyCollection>

/// Which page is asked for; nil leaves it to the server.
struct PageQuery {
  var page: Int?
  var itemsPerPage: Int?
  var search: String?
  var orderBy: String?

  var items: [RESTQueryItem] {
    .given(
      ("page", page.map(String.init)), ("itemsPerPage", itemsPerPage.map(String.init)),
      ("search", search), ("orderBy", orderBy))
  }

  /// - Parameter orders: what ``orderBy`` may be; empty for anything.
  func flaw(orders: [String] = []) -> String? {
    if let orderBy, !orders.isEmpty, !orders.contains(orderBy) {
      return "orderBy is none of \(orders.joined(separator: ", "))"
    }
    return Flaw.count("page", page) ?? Flaw.count("itemsPerPage", itemsPerPage)
  }

  /// A page of nothing.
  func empty<Item>() -> BunnyPage<Item> {
    BunnyPage(
      items: [], totalItems: 0, currentPage: page ?? 1, itemsPerPage: itemsPerPage ?? 100)
  }
}
