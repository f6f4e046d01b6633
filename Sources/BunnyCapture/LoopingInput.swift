import BunnyMedia

/// What is read from, opened as often as needed.
final class LoopingInput {
  private let location: String
  private let outer: StallGuard
  /// Of what is open.
  private(set) var guardian: StallGuard
  private(set) var demuxer: Demuxer?

  init(_ location: String, _ guardian: StallGuard) {
    self.location = location
    self.outer = guardian
    self.guardian = guardian
  }

  func open() throws(AVFailure) {
    guardian = outer.renewed()
    demuxer = try Demuxer(location, interrupter: guardian.interrupter)
  }

  func close() { demuxer = nil }
}
