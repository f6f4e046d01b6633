public import BunnySystem

/// One piece of media as RTMP carries it: the body of an FLV tag, and when it is due.
public struct RTMPTag: Sendable {
  public enum Kind: Sendable, Hashable { case audio, video, data }

  public var kind: Kind
  /// The decoding time in milliseconds, 0 or more, in 64 bits; on the wire it wraps at 2^32.
  public var timestamp: Int64
  /// An FLV tag's body, 2^24 - 1 bytes at most: AVC or AAC packet, or AMF0 for `data`.
  public var body: SharedBytes
  /// Whatever number the feed knows this tag by.
  public var serial: Int64

  public init(kind: Kind, timestamp: Int64, body: SharedBytes, serial: Int64 = 0) {
    self.kind = kind
    self.timestamp = timestamp
    self.body = body
    self.serial = serial
  }

  /// With a copy of `body`.
  public init(kind: Kind, timestamp: Int64, body: [UInt8], serial: Int64 = 0) {
    self.init(kind: kind, timestamp: timestamp, body: SharedBytes(body), serial: serial)
  }

  /// The `@setDataFrame onMetaData` that opens a stream, at time 0.
  public static func metadata(_ pairs: [(String, AMF0Value)]) -> RTMPTag {
    let values: [AMF0Value] = ["@setDataFrame", "onMetaData", .ecmaArray(AMF0Object(pairs))]
    return RTMPTag(kind: .data, timestamp: 0, body: AMF0Value.encode(values))
  }
}
