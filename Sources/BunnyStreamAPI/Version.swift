/// What this library calls itself to Bunny.
enum Product {
  /// The package's version; the same as BunnyBroadcast's.
  static let version = "0.1.0"
  static let userAgent = "bunny-broadcast/\(version)"
}
