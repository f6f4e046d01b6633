import CBunnyOpenSSL

/// What a TLS server's sessions have in common: who it is, and which versions it speaks.
public final class TLSServer: @unchecked Sendable {  // OpenSSL locks it; not changed after init
  /// The versions a server offers.
  public enum Versions: Sendable, CaseIterable { case tls12, tls13, both }

  let raw: OpaquePointer

  public init(_ identity: CertificateAuthority.Identity, _ versions: Versions = .both) throws {
    guard bunny_tls_begin() == 1, let raw = SSL_CTX_new(TLS_server_method()) else {
      throw Failure(words: "no SSL_CTX")
    }
    self.raw = raw
    guard SSL_CTX_use_certificate_chain_file(raw, identity.certificate) == 1,
      SSL_CTX_use_PrivateKey_file(raw, identity.key, SSL_FILETYPE_PEM) == 1
    else { throw Failure(words: "certificate or key not taken") }
    let (least, most) = (versions == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION, TLS1_2_VERSION)
    _ = SSL_CTX_ctrl(raw, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(least), nil)
    if versions == .tls12 { _ = SSL_CTX_ctrl(raw, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(most), nil) }
  }

  deinit { SSL_CTX_free(raw) }

  public struct Failure: Error { public let words: String }
}

/// A server's side of a TLS session, without a socket. Belongs to one thread.
public final class TLSServerSession {
  public private(set) var isEstablished = false
  /// It began where an earlier one left off.
  public var isResumed: Bool { SSL_session_reused(raw) == 1 }
  /// The client has said goodbye.
  public private(set) var isPeerClosed = false
  /// A rule was broken, or the client sent an alert; OpenSSL's words.
  public private(set) var failure: String?

  private let raw: OpaquePointer
  private var early: [UInt8] = []  // written before there was a session
  private var space = [UInt8](repeating: 0, count: 16_384)

  public init(_ server: TLSServer) {
    raw = SSL_new(server.raw)!
    SSL_set_bio(raw, bunny_tls_pipe(), bunny_tls_pipe())
    SSL_set_accept_state(raw)
  }

  deinit { SSL_free(raw) }

  /// - Returns: What the client's bytes say.
  public func receive(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    _ = bytes.withUnsafeBytes { BIO_write(SSL_get_rbio(raw), $0.baseAddress, Int32($0.count)) }
    var plain: [UInt8] = []
    while failure == nil, !isPeerClosed {
      ERR_clear_error()
      let count = SSL_read(raw, &space, Int32(space.count))  // shakes hands, too
      if !isEstablished, SSL_is_init_finished(raw) == 1 { begin() }
      guard count <= 0 else {
        plain += space[..<Int(count)]
        continue
      }
      switch SSL_get_error(raw, count) {
      case SSL_ERROR_WANT_READ: return plain
      case SSL_ERROR_ZERO_RETURN: isPeerClosed = true
      default:
        failure = ERR_reason_error_string(ERR_peek_error()).map { String(cString: $0) } ?? "?"
      }
    }
    return plain
  }

  private func begin() {
    isEstablished = true
    write(early[...])
    early = []
  }

  public func write(_ bytes: ArraySlice<UInt8>) {
    guard isEstablished else {
      early += bytes
      return
    }
    guard !bytes.isEmpty else { return }
    _ = bytes.withUnsafeBytes { SSL_write(raw, $0.baseAddress, Int32($0.count)) }
  }

  /// Says goodbye.
  public func close() { SSL_shutdown(raw) }

  /// What is to be sent to the client.
  public func takeOutgoing() -> [UInt8] {
    var bytes: [UInt8] = []
    while BIO_ctrl_pending(SSL_get_wbio(raw)) > 0 {
      let count = BIO_read(SSL_get_wbio(raw), &space, Int32(space.count))
      bytes += space[..<Int(max(0, count))]
    }
    return bytes
  }
}
