import BunnySystem
import CBunnyOpenSSL
import Glibc

/// What TLS sessions have in common: whom they trust, and what they insist on. Made in a fraction of a
/// millisecond from the system's trust; touches nothing process-wide.
package final class TLSContext: @unchecked Sendable {  // OpenSSL locks it; not changed after init
  let trust: TLSTrust
  private let handle: TLSContextHandle
  var raw: OpaquePointer { handle.raw }

  /// - Throws: What is wrong with the file that `trust` names.
  package init(trusting trust: TLSTrust) throws(TLSFailure) {
    ERR_clear_error()
    guard bunny_tls_begin() == 1, let raw = SSL_CTX_new(TLS_client_method()) else {
      throw .library(TLSContext.lastWords)
    }
    handle = TLSContextHandle(raw: raw)
    self.trust = trust
    guard bunny_tls_restrict(raw) == 1 else { throw .library(TLSContext.lastWords) }
    switch trust {
    case .system:
      guard SSL_CTX_set_default_verify_paths(raw) == 1 else { throw .library(TLSContext.lastWords) }
    case .file(let path): try Self.load(path, into: raw)
    }
  }

  private static func load(_ path: String, into raw: OpaquePointer) throws(TLSFailure) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .trustUnreadable(path: path, words: systemWords(errno)) }
    var status = stat()
    let isFolder = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    close(file)
    guard !isFolder else { throw .trustUnreadable(path: path, words: systemWords(EISDIR)) }
    _ = SSL_CTX_load_verify_file(raw, path)
    guard bunny_tls_certificate_count(raw) > 0 else { throw .trustEmpty(path: path) }
    // A certificate that is given by name is trusted, whether it is a root or not.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(raw), UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  /// OpenSSL's words for what went wrong last on this thread.
  static var lastWords: String { words(for: ERR_peek_last_error()) }

  static func words(for code: UInt) -> String {
    ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
  }
}

/// Owns one `SSL_CTX`. Nothing else.
private struct TLSContextHandle: ~Copyable {
  let raw: OpaquePointer
  deinit { SSL_CTX_free(raw) }
}

/// Lets the next session with the same host begin where one left off: fewer bytes, less computing, and
/// no certificate to be verified, since it was.
package final class TLSResumption: @unchecked Sendable {  // OpenSSL counts its holders atomically
  let raw: OpaquePointer
  private let host: String
  private let trust: TLSTrust

  /// Takes over an `SSL_SESSION`.
  init(adopting raw: OpaquePointer, host: String, trust: TLSTrust) {
    self.raw = raw
    self.host = host
    self.trust = trust
  }
  deinit { SSL_SESSION_free(raw) }

  /// Another host, or another trust, has to be verified itself.
  func isGood(for host: String, _ trust: TLSTrust) -> Bool {
    self.host == host && self.trust == trust
  }
}
