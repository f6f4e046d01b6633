import Glibc

/// Whose word is taken for who an `rtmps` server is. There is always one: verification cannot be
/// turned off.
public enum TLSTrust: Hashable, Sendable {
  /// The certificate authorities that this system trusts: OpenSSL's own files, or what `SSL_CERT_FILE`
  /// and `SSL_CERT_DIR` in the environment name.
  case system
  /// Only the certificates in this file (PEM), in place of the system's: authorities, or a server's
  /// very own. Read anew for each connection, so it can be replaced while a broadcast runs.
  case file(String)

  /// Tries it out.
  ///
  /// - Throws: ``TLSFailure/trustUnreadable(path:words:)`` or ``TLSFailure/trustEmpty(path:)``.
  public func check() throws(TLSFailure) { _ = try TLSContext(trusting: self) }
}
