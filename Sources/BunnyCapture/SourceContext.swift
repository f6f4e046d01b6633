package import BunnyMedia
import BunnySystem

/// What sources are given along: whom they tell, and what makes them let go.
package struct SourceContext: Sendable {
  /// Makes opening give up, and what was opened read no more. From any thread.
  package var interrupter = Interrupter()
  /// How long an address may deliver nothing, nanoseconds.
  package var stallLimit: Int64 = .seconds(10)
  /// Is called for every packet that could not be decoded cleanly, by the capture threads.
  package var decodeError: @Sendable () -> Void = {}
  /// Is told how many frames a camera left out, by its capture thread.
  package var missedFrames: @Sendable (Int) -> Void = { _ in }
  /// Is told which camera was chosen, how it is used and why, in a sentence.
  package var chosen: @Sendable (String) -> Void = { _ in }
  /// The same of a microphone.
  package var chosenSound: @Sendable (String) -> Void = { _ in }
  /// Is told what had to be helped, in a sentence.
  package var notice: @Sendable (String) -> Void = { _ in }

  package init() {}
}
