import Glibc

/// Whether a buffer holds one whole JPEG picture, told from its markers. Decodes nothing.
package enum JPEGScan {
  package enum Fault: String, Error, Sendable {
    case empty = "it is empty, or all zeros"
    case noStart = "it does not begin like a JPEG"
    case brokenHead = "its head is broken"
    case noEnd = "its end is missing"
    case twoPictures = "it holds more than one picture"
  }

  /// How many bytes the picture takes, its end marker included. What follows is padding.
  ///
  /// - Parameter bytes: what a camera delivered as one frame.
  package static func length(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Int {
    guard bytes.count >= 4, bytes[0] | bytes[1] != 0 else { throw .empty }
    guard bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw .noStart }
    guard let start = try scanData(bytes), let end = end(of: bytes, from: start) else {
      throw .noEnd
    }
    guard self.end(of: bytes, from: end) == nil else { throw .twoPictures }
    return end
  }

  /// Where the first of several pictures ends, its end marker included.
  ///
  /// - Parameters:
  ///   - bytes: begin with it.
  ///   - searched: so many of them hold no end, as was found before.
  /// - Returns: nil while its end is missing.
  /// - Throws: what shows that no picture begins here.
  package static func firstEnd(
    _ bytes: UnsafeRawBufferPointer, searched: Int = 0
  ) throws(Fault) -> Int? {
    guard bytes.count >= 2 else { return nil }
    guard bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw .noStart }
    guard let start = try scanData(bytes) else { return nil }
    // The first byte of the end marker may have been the last one.
    return end(of: bytes, from: max(start, searched - 1))
  }

  /// Where the coded samples begin: segments before may hold anything, an end marker too. nil: not yet.
  private static func scanData(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Int? {
    var place = 2
    while place + 4 <= bytes.count {
      guard bytes[place] == 0xFF else { throw .brokenHead }
      let marker = bytes[place + 1]
      if marker == 0xFF {  // fill bytes may stand before a marker
        place += 1
        continue
      }
      guard marker >= 0xC0, marker != 0xD9, marker != 0xD8 else { throw .brokenHead }
      let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      guard length >= 2 else { throw .brokenHead }
      place += 2 + length
      if marker == 0xDA { return place }
    }
    return nil
  }

  /// Where the first end marker from `start` on ends.
  private static func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress else { return nil }
    var place = start
    while place < bytes.count - 1, let found = memchr(base + place, 0xFF, bytes.count - 1 - place) {
      place = UnsafeRawPointer(found) - base + 1
      if bytes[place] == 0xD9 { return place + 1 }
    }
    return nil
  }
}
