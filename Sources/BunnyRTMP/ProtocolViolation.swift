/// Bytes from a peer that no RTMP speaker may send, or that exceed what we are willing to hold.
public enum ProtocolViolation: Error, Hashable, Sendable {
  /// The handshake's version byte: 32 and above are no RTMP ("H" opens an HTTP answer).
  case handshakeVersion(UInt8)
  /// A message header that repeats parts of an earlier one, on a chunk stream that has had none.
  case headerRepeatsNothing(chunkStream: UInt32)
  /// A new message header where the rest of a message was due.
  case headerInsideMessage(chunkStream: UInt32)
  case chunkSize(UInt32)
  /// A control message of the wrong length.
  case controlMessage(type: UInt8, bytes: Int)
  /// Unfinished messages hold more than `limit` bytes together.
  case tooMuchUnfinished(limit: Int)
  case amf0(AMF0Error)
  /// A command whose parts are not where they must be.
  case command
  /// A command answered as if we had asked something else.
  case answer(to: String)
}

extension ProtocolViolation: CustomStringConvertible {
  public var description: String {
    switch self {
    case .handshakeVersion(let byte):
      "its handshake begins with byte \(byte), where RTMP has a version from 0 to 31"
    case .headerRepeatsNothing(let chunkStream):
      "chunk stream \(chunkStream) begins with a header that repeats an earlier one"
    case .headerInsideMessage(let chunkStream):
      "chunk stream \(chunkStream) begins a message inside another"
    case .chunkSize(let size): "it set a chunk size of \(size)"
    case .controlMessage(let type, let bytes):
      "it sent a control message of type \(type) with \(bytes) bytes"
    case .tooMuchUnfinished(let limit):
      "its unfinished messages exceed \(limit) bytes"
    case .amf0(let error): error.description
    case .command: "it sent a command without name or transaction number"
    case .answer(let command): "its answer to \(command) lacks what was asked for"
    }
  }
}
