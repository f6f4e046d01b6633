import FoundationEssentials

/// The answer to one request as it comes in. Decides what is taken of it, and does no I/O.
struct HTTPExchange {
  /// The most bytes of all lines before a body and behind it.
  private static let longestHead = 256 << 10

  private var headBytes = 0
  var isHeadTooLong: Bool { headBytes > Self.longestHead }
  private(set) var isHeadOver = false
  /// There was more than ``HTTPAnswer/longestBody`` of the body.
  private(set) var isCut = false
  private(set) var body = Data()

  /// Takes a line of the head, of one before it (1xx), or of what follows a body in chunks.
  ///
  /// - Returns: false when that is too much.
  mutating func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
    headBytes += line.count
    if line.starts(with: "HTTP/".utf8) && body.isEmpty {
      isHeadOver = false
    } else if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
      isHeadOver = true
    }
    return !isHeadTooLong
  }

  /// Takes a piece of the body.
  ///
  /// - Returns: false when no more will be read.
  mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    let room = HTTPAnswer.longestBody - body.count
    body.append(contentsOf: piece.prefix(room))
    isCut = piece.count > room
    return !isCut
  }
}
