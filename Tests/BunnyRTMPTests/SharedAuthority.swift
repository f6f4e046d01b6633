import Support
import Testing

/// An authority, and a server that it vouches for, made once for a whole suite.
struct SharedAuthority: Sendable {
  @TaskLocal static var current: SharedAuthority?

  let authority: CertificateAuthority
  /// For localhost, by its name and addresses.
  let identity: CertificateAuthority.Identity
}

/// Makes ``SharedAuthority/current`` for the tests of a suite.
struct SharingAuthority: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let authority = try await CertificateAuthority()
    let identity = try await authority.issue(for: "DNS:localhost", "IP:127.0.0.1", "IP:::1")
    let shared = SharedAuthority(authority: authority, identity: identity)
    try await SharedAuthority.$current.withValue(shared) { try await function() }
  }
}

extension Trait where Self == SharingAuthority {
  static var sharingAuthority: Self { SharingAuthority() }
}
