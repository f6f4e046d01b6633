/// For those who would rather be called than listen. All of it is optional, and called on the main
/// actor, in order, after the controller's properties have changed.
@MainActor public protocol BunnyBroadcastControllerDelegate: AnyObject {
  /// The state is another one.
  func broadcast(
    _ controller: BunnyBroadcastController, didChangeTo state: BunnyBroadcastState)

  /// Something happened.
  func broadcast(_ controller: BunnyBroadcastController, didReport record: BunnyBroadcastRecord)

  /// The broadcast has failed, and is over.
  func broadcast(_ controller: BunnyBroadcastController, didFailWith message: String)
}

extension BunnyBroadcastControllerDelegate {
  public func broadcast(
    _ controller: BunnyBroadcastController, didChangeTo state: BunnyBroadcastState
  ) {}
  public func broadcast(
    _ controller: BunnyBroadcastController, didReport record: BunnyBroadcastRecord
  ) {}
  public func broadcast(_ controller: BunnyBroadcastController, didFailWith message: String) {}
}
