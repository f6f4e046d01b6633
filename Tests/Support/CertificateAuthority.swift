import Foundation

/// A certificate authority for tests, made with the `openssl` command in a directory of its own.
public final class CertificateAuthority: Sendable {
  public static let command = "/usr/bin/openssl"
  public static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: command) }

  /// A certificate with its key: paths of PEM files, there as long as this or the authority is.
  public struct Identity: Sendable {
    /// The certificate, and what leads from it to the root, without that.
    public let certificate: String
    public let key: String
    fileprivate let directory: TemporaryDirectory
  }

  /// The root's certificate.
  public let root: String
  private let own: Identity
  private let isRoot: Bool
  private let directory: TemporaryDirectory

  /// - Parameter name: What stands as issuer in what it signs.
  public init(_ name: String = "Test Authority") async throws {
    directory = try TemporaryDirectory()
    own = Identity(
      certificate: directory.file("root.pem"), key: directory.file("root.key"),
      directory: directory)
    (root, isRoot) = (own.certificate, true)
    try await Self.run(
      "req", "-x509", "-days", "30", "-subj", "/O=bunny-broadcast/CN=\(name)", "-keyout", own.key,
      "-out", own.certificate, "-addext", "keyUsage=critical,keyCertSign", more: Self.newKey)
  }

  private init(_ own: Identity, under root: CertificateAuthority) {
    (self.root, self.own, isRoot, directory) = (root.root, own, false, root.directory)
  }

  /// Something that signs with a certificate which is no authority's.
  public convenience init(pretending identity: Identity, of authority: CertificateAuthority) {
    self.init(identity, under: authority)
  }

  /// A certificate for `hosts` (`DNS:localhost`, `IP:127.0.0.1`), signed by this authority.
  ///
  /// - Parameters:
  ///   - from: As in `20240102030405Z`; nil: yesterday.
  ///   - until: nil: a month from now.
  public func issue(
    for hosts: String..., from: String? = nil, until: String? = nil
  ) async throws -> Identity {
    try await sign(
      from, until, subject: "/CN=\(hosts.first?.dropFirst(4) ?? "")",
      ["-addext", "subjectAltName=\(hosts.joined(separator: ","))"])
  }

  /// An authority between this one and what it issues.
  public func subordinate(
    _ name: String, from: String? = nil, until: String? = nil
  ) async throws -> CertificateAuthority {
    let identity = try await sign(
      from, until, subject: "/CN=\(name)", ["-addext", "basicConstraints=critical,CA:TRUE"])
    return CertificateAuthority(identity, under: self)
  }

  /// A certificate for `host` that nobody but its own key has signed.
  public func selfSigned(for host: String) async throws -> Identity {
    let identity = newIdentity()
    try await Self.run(
      "req", "-x509", "-days", "30", "-subj", "/CN=self", "-keyout", identity.key, "-out",
      identity.certificate, "-addext", "subjectAltName=\(host)", more: Self.newKey)
    return identity
  }

  private func newIdentity() -> Identity {
    let name = directory.file(UUID().uuidString)
    return Identity(certificate: name + ".pem", key: name + ".key", directory: directory)
  }

  private func sign(
    _ from: String?, _ until: String?, subject: String, _ extensions: [String]
  ) async throws -> Identity {
    let identity = newIdentity()
    let (request, configuration) = (identity.key + ".csr", identity.key + ".conf")
    let index = identity.key + ".index"  // its own: `openssl ca` runs beside itself badly
    try Data().write(to: URL(fileURLWithPath: index))
    try Self.configuration(directory.path, index: index).write(
      toFile: configuration, atomically: false, encoding: .utf8)
    try await Self.run(
      "req", "-new", "-subj", subject, "-keyout", identity.key, "-out", request,
      more: extensions + Self.newKey)
    try await Self.run(
      "ca", "-config", configuration, "-batch", "-notext", "-cert", own.certificate,
      "-keyfile", own.key, "-startdate", from ?? Self.stamp(days: -1), "-enddate",
      until ?? Self.stamp(days: 30), "-in", request, "-out", identity.certificate)
    if !isRoot {
      let chain = try [identity, own].map {
        try String(contentsOfFile: $0.certificate, encoding: .utf8)
      }
      try chain.joined().write(toFile: identity.certificate, atomically: false, encoding: .utf8)
    }
    return identity
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

  private static func stamp(days: Double) -> String {
    let moment = ISO8601DateFormatter().string(from: Date() + days * 86_400)
    return moment.filter { $0.isNumber || $0 == "Z" }
  }

  private static func run(_ arguments: String..., more: [String] = []) async throws {
    let outcome = try await ChildProcess.run(command, arguments + more)
    guard outcome.exitStatus == 0 else { throw OpenSSLFailure(outcome: outcome) }
  }

  /// `openssl` made no certificate.
  public struct OpenSSLFailure: Error { public let outcome: ChildProcess.Outcome }

  private static func configuration(_ directory: String, index: String) -> String {
    """
    [ca]
    default_ca = ours
    [ours]
    database = \(index)
    new_certs_dir = \(directory)
    rand_serial = yes
    unique_subject = no
    default_md = sha256
    copy_extensions = copy
    policy = anything
    [anything]
    commonName = optional

    """
  }
}
