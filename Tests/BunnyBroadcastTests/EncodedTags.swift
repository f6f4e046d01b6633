import BunnyBroadcast
import BunnyMedia

// What comes out of an encoding, as lists.
extension PictureEncoding {
  func arranged(for slot: Int64) throws -> [MediaTag] {
    var tags: [MediaTag] = []
    try arrange(for: slot, forcingKeyframe: false, shift: 0) { tags.append($0) }
    return tags
  }

  func encoded(_ picture: Picture, in slot: Int64) throws -> [MediaTag] {
    var tags: [MediaTag] = []
    try encode(picture, in: slot, forcingKeyframe: false, shift: 0) { tags.append($0) }
    return tags
  }

  /// What it still holds.
  func rest() throws -> [MediaTag] {
    var tags: [MediaTag] = []
    try finish(shift: 0) { tags.append($0) }
    return tags
  }
}

extension TagLog {
  func append(_ tags: [MediaTag]) {
    var rest = tags[...]
    append { rest.popFirst() }
  }
}
