/// An object of JSON, whatever the order of its keys.
///
/// The items of a list mostly have the same keys in the same order: those share one ``Keys``.
package struct JSONObject: Sendable {
  final class Keys: Sendable {
    /// In the order of the text; of two equal ones the last counts.
    let names: [String]
    fileprivate let places: [String: Int]

    init(_ names: [String]) {
      self.names = names
      places = Dictionary(zip(names, names.indices)) { $1 }
    }
  }

  private let keys: Keys
  private let values: [JSON]

  /// - Parameter values: as many as there are keys.
  init(_ keys: Keys, _ values: [JSON]) {
    (self.keys, self.values) = (keys, values)
  }

  package init(_ members: [String: JSON]) {
    self.init(Keys(Array(members.keys)), Array(members.values))
  }

  package subscript(_ key: String) -> JSON? { keys.places[key].map { values[$0] } }

  package var members: [String: JSON] { keys.places.mapValues { values[$0] } }
}

extension JSONObject: Equatable {
  package static func == (one: Self, other: Self) -> Bool { one.members == other.members }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral members: (String, JSON)...) {
    self.init(Keys(members.map(\.0)), members.map(\.1))
  }
}
