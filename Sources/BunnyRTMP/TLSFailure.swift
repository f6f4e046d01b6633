import Glibc

/// Why there is no TLS with a server, or none any more. What a server wrote is cleaned and cut.
public enum TLSFailure: Error, Hashable, Sendable {
  /// A certificate's time is over: the server's, or that of an authority above it. UNIX seconds.
  case expired(host: String, authority: String?, at: Int64, now: Int64)
  /// A certificate's time has not come, by this machine's clock. UNIX seconds.
  case notYetValid(host: String, authority: String?, from: Int64, now: Int64)
  case selfSigned(host: String, trust: TLSTrust)
  /// Nobody who is trusted vouches for the server.
  case unknownIssuer(host: String, issuer: String, trust: TLSTrust)
  /// The certificate is good, but for other names and addresses.
  case wrongHost(host: String, names: [String])
  /// The certificate was not taken for another reason, in OpenSSL's words.
  case rejected(host: String, words: String)
  /// The server knows only TLS 1.1 or older.
  case tooOld(host: String)
  /// The server sent an alert.
  case refused(host: String, alert: String)
  /// The server hung up during the handshake; "end of file" or the system's words.
  case hungUp(host: String, cause: String)
  /// The server speaks something else.
  case notTLS(host: String)
  /// What came breaks a rule of TLS, in OpenSSL's words.
  case broken(host: String, words: String)
  /// The file of ``TLSTrust/file(_:)`` cannot be read.
  case trustUnreadable(path: String, words: String)
  /// The file of ``TLSTrust/file(_:)`` holds no certificate.
  case trustEmpty(path: String)
  /// OpenSSL could not be set up.
  case library(String)
}

extension TLSFailure {
  /// Whether the same try may succeed later without anybody touching this machine's settings.
  ///
  /// All may but a bad trust file: a certificate is renewed by the server's owner, a clock is set over
  /// the network, and an unknown issuer or a wrong host is also what a hotel's network answers until
  /// somebody has signed in. A box that nobody watches must not give up over that.
  public var isRetryable: Bool {
    switch self {
    case .trustUnreadable, .trustEmpty: false
    default: true
    }
  }

  var category: RTMPError.Category {
    switch self {
    case .expired, .notYetValid, .selfSigned, .unknownIssuer, .wrongHost, .rejected: .untrusted
    case .refused, .hungUp: .refused
    case .tooOld, .notTLS, .broken: .protocolViolation
    case .trustUnreadable, .trustEmpty, .library: .unsendable
    }
  }

  /// In a few words, for the session that it ended.
  var cause: String {
    switch self {
    case .refused(_, let alert): "TLS alert: \(alert)"
    case .broken(_, let words): "TLS: \(words)"
    default: description
    }
  }
}

extension TLSFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .trustUnreadable(let path, let words):
      "the file of trusted certificates \(path) cannot be read: \(words); "
        + "name a file of certificates in PEM"
    case .trustEmpty(let path):
      "the file of trusted certificates \(path) holds no certificate; "
        + "name a file of certificates in PEM"
    case .library(let words):
      "OpenSSL could not be set up: \(words); check its openssl.cnf and this machine's memory"
    case .tooOld(let host):
      "\(host) offers no TLS newer than 1.1; its owner must allow TLS 1.2 or 1.3"
    case .refused(let host, let alert):
      "\(host) refused it (alert: \(alert)); look into the server's log"
    case .hungUp(let host, let cause):
      "\(host) hung up during the handshake (\(cause)); "
        + "check that it speaks TLS on this port: is it rtmp:// instead?"
    case .notTLS(let host):
      "\(host) does not speak TLS on this port; is it rtmp:// instead?"
    case .broken(let host, let words):
      "\(host) does not speak TLS as it should (\(words)); "
        + "check what stands between this machine and the server"
    default: certificateDescription
    }
  }

  private var certificateDescription: String {
    switch self {
    case .expired(let host, let authority, let end, let now):
      "\(Self.certificate(host, authority)) expired on \(UTCTime(end)); its owner must renew it "
        + "(this machine's clock reads \(UTCTime(now)))"
    case .notYetValid(let host, let authority, let start, let now):
      "\(Self.certificate(host, authority)) is valid from \(UTCTime(start)), but this machine's "
        + "clock reads \(UTCTime(now)); a machine without a battery for its clock wakes up in the "
        + "past: set the clock, or wait until it is set over the network"
    case .selfSigned(let host, .system):
      "the certificate of \(host) is signed by nobody but itself; if it is meant to be, "
        + "name a file that holds it with --tls-ca"
    case .selfSigned(let host, .file(let path)):
      "the certificate of \(host) is signed by nobody but itself, and is not in \(path); "
        + "if it is meant to be, put it there"
    case .unknownIssuer(let host, let issuer, .system):
      "the certificate of \(host) was issued by \(issuer), whom this machine does not know; check "
        + "that it has the package ca-certificates, or name a file of issuers with --tls-ca"
    case .unknownIssuer(let host, let issuer, .file(let path)):
      "the certificate of \(host) was issued by \(issuer), who is not in \(path); "
        + "add the issuer's certificate there"
    case .wrongHost(let host, let names):
      "the certificate is not for \(host) but for \(Self.list(names)); check the host in the URL"
    case .rejected(let host, let words):
      "the certificate of \(host) was not accepted (\(words)); its owner must replace it"
    default: "TLS failed"  // all others have their sentence above
    }
  }

  private static func certificate(_ host: String, _ authority: String?) -> String {
    guard let authority else { return "the certificate of \(host)" }
    return "the certificate of \(authority), who vouches for \(host),"
  }

  private static func list(_ names: [String]) -> String {
    guard !names.isEmpty else { return "no host at all" }
    let more = names.count > 5 ? " and \(names.count - 5) more" : ""
    return names.prefix(5).joined(separator: ", ") + more
  }
}

/// UNIX seconds, shown as in "2026-11-30 04:28:22 UTC".
struct UTCTime: CustomStringConvertible {
  private let seconds: Int64

  init(_ seconds: Int64) { self.seconds = seconds }

  var description: String {
    var seconds = time_t(seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded).joined(separator: ":")
    return "\(date) \(time) UTC"
  }
}
