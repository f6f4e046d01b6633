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
  private var waitText: String?
  private var dateText: String?

  /// What the server said about when to ask again, by its own clock.
  var retryAfter: RetryAfter? { waitText.map { RetryAfter($0, date: dateText) } }

  /// Takes a line of the head, of one before it (1xx), or of what follows a body in chunks.
  ///
  /// - Returns: false when that is too much.
  mutating func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
    headBytes += line.count
    if line.starts(with: "HTTP/".utf8) && body.isEmpty {
      isHeadOver = false
      (waitText, dateText) = (nil, nil)
    } else if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
      isHeadOver = true
    } else if !isHeadOver {
      note(line)
    }
    return !isHeadTooLong
  }

  private mutating func note(_ line: UnsafeRawBufferPointer) {
    guard line.count < 200, let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    guard name == "retry-after" || name == "date" else { return }
    let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
    if name == "date" { dateText = value } else { waitText = value }
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
