import CBunnyOpenSSL
import Glibc

/// Has OpenSSL verify who a server is, and notes what is wrong with a certificate while it is at hand.
///
/// Never lets pass what OpenSSL does not.
final class TLSVerification {
  private(set) var failure: TLSFailure?
  private let host: String
  private let trust: TLSTrust
  private let text: ServerText

  init(host: String, trust: TLSTrust, text: ServerText) {
    self.host = host
    self.trust = trust
    self.text = text
  }

  /// - Parameter session: An `SSL`; this object must outlive it.
  /// - Returns: Whether it will be verified.
  func watch(_ session: OpaquePointer) -> Bool {
    let parameters = SSL_get0_param(session)
    let name = host.last == "." ? String(host.dropLast()) : host
    let address = String(name.prefix { $0 != "%" })  // without an IPv6 address's zone
    if X509_VERIFY_PARAM_set1_ip_asc(parameters, address) != 1 {
      X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      guard SSL_set1_host(session, name) == 1, bunny_tls_set_server_name(session, name) == 1
      else { return false }
    }
    guard bunny_tls_set_owner(session, Unmanaged.passUnretained(self).toOpaque()) == 1 else {
      return false
    }
    SSL_set_verify(session, SSL_VERIFY_PEER) { isGood, verification in
      if isGood == 0, let verification, let owner = bunny_tls_owner(verification) {
        Unmanaged<TLSVerification>.fromOpaque(owner).takeUnretainedValue().note(verification)
      }
      return isGood
    }
    return true
  }

  private func note(_ verification: OpaquePointer) {
    guard failure == nil else { return }
    let code = X509_STORE_CTX_get_error(verification)
    let certificate = X509_STORE_CTX_get_current_cert(verification)
    let isOwn = X509_STORE_CTX_get_error_depth(verification) == 0
    failure = meaning(of: code, certificate.map { TLSCertificate($0, text) }, isOwn: isOwn)
  }

  private func meaning(
    of code: Int32, _ certificate: TLSCertificate?, isOwn: Bool
  ) -> TLSFailure {
    let words = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? ""
    guard let certificate else { return .rejected(host: host, words: words) }
    let authority = isOwn ? nil : certificate.subject
    let now = Int64(time(nil))
    switch code {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return .expired(host: host, authority: authority, at: certificate.validUntil, now: now)
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return .notYetValid(host: host, authority: authority, from: certificate.validFrom, now: now)
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return .selfSigned(host: host, trust: trust)
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return .unknownIssuer(host: host, issuer: certificate.issuer, trust: trust)
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      return .wrongHost(host: host, names: certificate.hosts)
    default:
      return .rejected(host: host, words: words)
    }
  }
}

/// What of a certificate a person may want to know. The server wrote it: cleaned, and cut.
private struct TLSCertificate {
  let subject: String
  let issuer: String
  let validFrom: Int64  // UNIX seconds
  let validUntil: Int64
  /// Names and addresses it is for, as many as fit.
  let hosts: [String]

  init(_ raw: OpaquePointer, _ text: ServerText) {
    subject = text.clean(Self.name(X509_get_subject_name(raw)))
    issuer = text.clean(Self.name(X509_get_issuer_name(raw)))
    validFrom = bunny_tls_valid_from(raw)
    validUntil = bunny_tls_valid_until(raw)
    let list = Self.printed { bunny_tls_print_hosts(raw, $0, $1) }
    hosts = list.split(separator: "\n").map { text.clean(String($0)) }
  }

  private static func name(_ name: OpaquePointer?) -> String {
    guard let name else { return "" }
    return printed { bunny_tls_print_name(name, $0, $1) }
  }

  /// What `print` writes into the room that it is given.
  private static func printed(
    _ print: (UnsafeMutablePointer<CChar>, Int32) -> Int32
  ) -> String {
    var room = [CChar](repeating: 0, count: 2048)
    let count = print(&room, Int32(room.count))
    return String(decoding: room.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
