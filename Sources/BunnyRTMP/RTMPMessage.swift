/// One whole RTMP message, as it stands before it is cut into chunks.
package struct RTMPMessage: Sendable, Hashable {
  package var type: RTMPMessageType
  /// 0 for the connection itself; else what `createStream` answered.
  package var streamID: UInt32
  /// Milliseconds modulo 2^32.
  package var timestamp: UInt32
  package var body: [UInt8]

  package init(
    _ type: RTMPMessageType, streamID: UInt32 = 0, timestamp: UInt32 = 0, body: [UInt8]
  ) {
    self.type = type
    self.streamID = streamID
    self.timestamp = timestamp
    self.body = body
  }

  /// The longest body that a chunk header can announce.
  package static let longestBody = 0xFF_FFFF
}

/// What a message is. Any byte is one; those without a name here are passed over.
package struct RTMPMessageType: RawRepresentable, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let setChunkSize = Self(rawValue: 1)
  package static let abort = Self(rawValue: 2)
  package static let acknowledgement = Self(rawValue: 3)
  package static let userControl = Self(rawValue: 4)
  package static let windowAcknowledgementSize = Self(rawValue: 5)
  package static let setPeerBandwidth = Self(rawValue: 6)
  package static let audio = Self(rawValue: 8)
  package static let video = Self(rawValue: 9)
  /// A command in AMF0 behind a byte that says so.
  package static let commandAMF3 = Self(rawValue: 17)
  package static let data = Self(rawValue: 18)
  package static let command = Self(rawValue: 20)
}

extension RTMPMessage {
  package static func setChunkSize(_ size: UInt32) -> RTMPMessage {
    integer(.setChunkSize, size & 0x7FFF_FFFF)
  }
  package static func acknowledgement(_ bytes: UInt32) -> RTMPMessage {
    integer(.acknowledgement, bytes)
  }
  package static func windowAcknowledgementSize(_ bytes: UInt32) -> RTMPMessage {
    integer(.windowAcknowledgementSize, bytes)
  }

  private static func integer(_ type: RTMPMessageType, _ value: UInt32) -> RTMPMessage {
    var body: [UInt8] = []
    body.appendBigEndian(value)
    return RTMPMessage(type, body: body)
  }

  /// `event` is a ``UserControlEvent``; `value` a stream's id or a ping's stamp.
  package static func userControl(_ event: UInt16, _ value: UInt32) -> RTMPMessage {
    var body: [UInt8] = []
    body.appendBigEndian(event)
    body.appendBigEndian(value)
    return RTMPMessage(.userControl, body: body)
  }

  package static func command(
    _ name: String, transaction: Double, _ arguments: [AMF0Value], streamID: UInt32 = 0
  ) -> RTMPMessage {
    let body = AMF0Value.encode([.string(name), .number(transaction)] + arguments)
    return RTMPMessage(.command, streamID: streamID, body: body)
  }
}

/// The first two bytes of a user control message.
package enum UserControlEvent {
  package static let streamBegin: UInt16 = 0
  package static let pingRequest: UInt16 = 6
  package static let pingResponse: UInt16 = 7
}
