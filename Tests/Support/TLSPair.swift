package import BunnyRTMP

/// Both sides of a TLS session in memory, the bytes between them handed over in portions.
package struct TLSPair {
  package let client: TLSSession
  package let server: TLSServerSession
  /// Bytes that went from the server to the client are cut into pieces of this many at most, and those
  /// of the client likewise.
  package var mostAtOnce = Int.max
  /// What the server has been told so far.
  package private(set) var atServer: [UInt8] = []
  /// What the client has been told so far.
  package private(set) var atClient: [UInt8] = []

  package init(_ client: TLSSession, _ server: TLSServer) {
    self.client = client
    self.server = TLSServerSession(server)
  }

  /// Carries bytes to and fro until neither side has any.
  package mutating func settle() throws(TLSFailure) {
    while true {
      var toServer: [UInt8] = []
      client.takeOutgoing(into: &toServer)
      for piece in pieces(of: toServer) { atServer += server.receive(piece) }
      let toClient = server.takeOutgoing()
      for piece in pieces(of: toClient) {
        try client.receive(piece)
        atClient += client.takePlain()
      }
      if toServer.isEmpty, toClient.isEmpty { return }
    }
  }

  private func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var rest = bytes[...]
    var pieces: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      let size = min(rest.count, mostAtOnce < 3 ? mostAtOnce : .random(in: 1...mostAtOnce))
      pieces.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return pieces
  }
}
