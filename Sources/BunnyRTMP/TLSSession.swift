import CBunnyOpenSSL

/// Our side of a TLS session. Opens no socket: it is fed with the peer's bytes, and says what to send
/// and what has come. Reads no clock but to see whether a certificate is valid.
///
/// Belongs to one thread. Once it has thrown it is over, and throws the same again.
package final class TLSSession {
  /// A name or an address, which the server's certificate has to be for.
  package let host: String
  /// The handshake is done and the server is who it should be.
  package private(set) var isEstablished = false
  /// The server has said that nothing more comes (`close_notify`). An end of file without that is a
  /// stream cut short.
  package private(set) var isPeerClosed = false

  private let trust: TLSTrust
  private let handle: TLSHandle
  private let verification: TLSVerification
  private var opening = TLSOpening()
  private var early: [UInt8] = []  // written before there was a session
  private var plain: [UInt8] = []
  private var failure: TLSFailure?
  private var space = [UInt8](repeating: 0, count: 16_384)  // the most that one record holds

  /// The first bytes to be sent are there at once.
  ///
  /// - Parameters:
  ///   - resumption: From an earlier session; passed over when it does not fit.
  ///   - secrets: What is not shown of a certificate, should it hold it.
  package init(
    _ context: TLSContext, host: String, resuming resumption: TLSResumption? = nil,
    hiding secrets: [String] = []
  ) throws(TLSFailure) {
    ERR_clear_error()
    guard let raw = SSL_new(context.raw) else { throw .library(TLSContext.lastWords) }
    handle = TLSHandle(raw: raw)
    trust = context.trust
    self.host = host
    verification = TLSVerification(
      host: host, trust: context.trust, text: ServerText(hiding: secrets))
    guard let incoming = bunny_tls_pipe() else { throw .library(TLSContext.lastWords) }
    guard let outgoing = bunny_tls_pipe() else {
      BIO_free(incoming)
      throw .library(TLSContext.lastWords)
    }
    SSL_set_bio(raw, incoming, outgoing)
    guard verification.watch(raw) else { throw .library(TLSContext.lastWords) }
    if let resumption, resumption.isGood(for: host, context.trust) {
      SSL_set_session(raw, resumption.raw)
    }
    SSL_set_connect_state(raw)
    try shakeHands()
  }

  /// Takes bytes as they came from the server, in any portions.
  ///
  /// - Throws: Why there is, or is no longer, a session. What ``takeOutgoing(into:)`` gives then is
  ///   worth sending: it tells the server why.
  package func receive(_ bytes: ArraySlice<UInt8>) throws(TLSFailure) {
    if let failure { throw failure }
    guard opening.looksLikeTLS(bytes) else { throw over(.notTLS(host: host)) }
    let taken = bytes.withUnsafeBytes { raw in
      BIO_write(SSL_get_rbio(handle.raw), raw.baseAddress, Int32(raw.count))
    }
    guard bytes.isEmpty || taken == bytes.count else { throw over(.library("out of memory")) }
    if !isEstablished { try shakeHands() }
    if isEstablished { try read() }
  }

  /// What the server sent, since the last call.
  package func takePlain() -> [UInt8] {
    defer { plain = [] }
    return plain
  }

  /// Appends what is to be sent to the server.
  package func takeOutgoing(into bytes: inout [UInt8]) {
    let pipe = SSL_get_wbio(handle.raw)
    while BIO_ctrl_pending(pipe) > 0 {
      let count = BIO_read(pipe, &space, Int32(space.count))
      guard count > 0 else { return }
      bytes += space[..<Int(count)]
    }
  }

  /// Encrypts all of `bytes`, once the session is established: how much that may be at a time is for
  /// the caller to say.
  package func write(_ bytes: ArraySlice<UInt8>) throws(TLSFailure) {
    if let failure { throw failure }
    guard isEstablished else {
      early += bytes
      return
    }
    guard !bytes.isEmpty else { return }
    ERR_clear_error()
    let taken = bytes.withUnsafeBytes { SSL_write(handle.raw, $0.baseAddress, Int32($0.count)) }
    guard taken == bytes.count else { throw over(reason(for: taken)) }
  }

  /// Says that nothing more will be sent (`close_notify`); once.
  package func close() {
    let hasClosed = SSL_get_shutdown(handle.raw) & SSL_SENT_SHUTDOWN != 0
    guard isEstablished, failure == nil, !hasClosed else { return }
    ERR_clear_error()
    SSL_shutdown(handle.raw)
  }

  /// What spares the next session with this host some work; nil until the server has given it.
  package var resumption: TLSResumption? {
    guard isEstablished, let raw = SSL_get1_session(handle.raw) else { return nil }
    let resumption = TLSResumption(adopting: raw, host: host, trust: trust)
    return SSL_SESSION_is_resumable(raw) == 1 ? resumption : nil
  }

  /// Whether it began where an earlier one left off.
  package var isResumed: Bool { SSL_session_reused(handle.raw) == 1 }

  /// Such as "TLSv1.3".
  package var version: String { String(cString: SSL_get_version(handle.raw)) }
}

extension TLSSession {
  private func shakeHands() throws(TLSFailure) {
    ERR_clear_error()
    let code = SSL_do_handshake(handle.raw)
    guard code != 1 else {
      isEstablished = true
      let early = early
      self.early = []
      return try write(early[...])
    }
    guard SSL_get_error(handle.raw, code) == SSL_ERROR_WANT_READ else {
      throw over(reason(for: code))
    }
  }

  private func read() throws(TLSFailure) {
    while true {
      ERR_clear_error()
      let count = SSL_read(handle.raw, &space, Int32(space.count))
      guard count <= 0 else {
        plain += space[..<Int(count)]
        continue
      }
      switch SSL_get_error(handle.raw, count) {
      case SSL_ERROR_WANT_READ: return
      case SSL_ERROR_ZERO_RETURN:
        isPeerClosed = true
        return
      default: throw over(reason(for: count))
      }
    }
  }

  private func over(_ failure: TLSFailure) -> TLSFailure {
    self.failure = failure
    return failure
  }

  private func reason(for code: Int32) -> TLSFailure {
    let error = ERR_peek_error()
    let reason = ERR_GET_REASON(error)
    switch reason {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return verification.failure ?? .broken(host: host, words: TLSContext.words(for: error))
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_WRONG_SSL_VERSION,
      SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return .tooOld(host: host)
    case SSL_R_WRONG_VERSION_NUMBER where !isEstablished, SSL_R_HTTP_REQUEST:
      return .notTLS(host: host)
    case (SSL_AD_REASON_OFFSET + 1)...(SSL_AD_REASON_OFFSET + 255):
      let words = SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET)
      return .refused(host: host, alert: words.map { String(cString: $0) } ?? "unknown")
    default:
      return .broken(host: host, words: TLSContext.words(for: error))
    }
  }
}

/// Tells by a server's first byte whether it speaks TLS: OpenSSL would wait for five.
private struct TLSOpening {
  private var isKnown = false

  mutating func looksLikeTLS(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard !isKnown, let first = bytes.first else { return true }
    isKnown = true
    return first == 0x16 || first == 0x15  // a record of the handshake, or an alert
  }
}

/// Owns one `SSL` and the BIOs that were given to it. Nothing else.
private struct TLSHandle: ~Copyable {
  let raw: OpaquePointer
  deinit {
    // Otherwise what is left of a session that broke off could not be resumed.
    SSL_set_shutdown(raw, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    SSL_free(raw)
  }
}
