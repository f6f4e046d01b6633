/// `text` with what follows the host in every address taken out, for a path or query may be a stream
/// key: `no rtmp://me:pw@host:1/app/key there` becomes `no rtmp://host:1/••• there`.
///
/// An address ends at a space, or before the punctuation that is followed by one. One that has lost its secrets already (it holds `•••`) stays, and so
/// does what our own sentences say an address looks like.
public func hidingAddresses(in text: String) -> String {
  var shown = ""
  var rest = text[...]
  while let separator = rest.firstRange(of: "://") {
    let after = rest[separator.upperBound...]
    let word = after.prefix { !$0.isWhitespace }
    let end = word.lastIndex { !",;:.)".contains($0) }
    let address = end.map { word[...$0] } ?? word
    shown += rest[..<separator.upperBound] + hidden(address)
    rest = after[address.endIndex...]
  }
  return String(shown + rest)
}

/// The same for something that is named by `name` alone: an address in it goes on to its end.
public func hidingAddress(_ name: String) -> String {
  guard let separator = name.firstRange(of: "://") else { return name }
  return String(name[..<separator.upperBound] + hidden(name[separator.upperBound...]))
}

/// - Parameter address: what follows `://`.
private func hidden(_ address: Substring) -> Substring {
  guard !address.contains("•••"), address != ";" else { return address }
  let authority = address.prefix { !"/?#\\".contains($0) }
  let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
  let shown = host ?? authority
  guard shown.utf8.allSatisfy(isOfHost) else { return "•••" }
  if address == "\(shown)/APP/KEY" { return address }
  return authority.endIndex == address.endIndex ? shown : "\(shown)/•••"
}

/// Letters, figures, and `-.:[]`.
private func isOfHost(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D: true
  default: false
  }
}
