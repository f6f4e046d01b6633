import BunnySystem
import CBunnyALSA
import Glibc

/// A thread that moves what one microphone captures into a queue, and waits for nothing but the
/// microphone.
///
/// All calls of ALSA's are made there, so that nothing which sound goes through keeps the card waiting, and
/// the microphone can be cancelled during a call that never returns.
final class MicrophoneThread: Sendable {
  enum Event: Sendable {
    case captured(Captured)
    /// The last one.
    case failed(MicrophonePCM.Failure)
    /// The last one: nothing came for so many nanoseconds.
    case silent(Int64)
    /// Its driver's moments make no sense, so those of arrival are taken.
    case falseStamps
  }

  /// What came in one go.
  struct Captured: Sendable {
    let reading: MicrophonePCM.Reading
    /// How often capture had to begin anew before it, at a position that nobody knows.
    let beginnings: Int
  }

  /// Ten seconds: a reader that is stalled for longer misses the oldest.
  let events = Mailbox<Event>(capacity: 1000)
  private let pcm: String
  private let isOver = Flag()
  private let wake = WakeEvent()

  /// How long a microphone may deliver nothing, nanoseconds.
  private static let patience: Int64 = .milliseconds(500)
  /// The same at first: one that sleeps, or is reached by radio, takes its time.
  private static let firstPatience: Int64 = .seconds(3)

  /// - Parameter pcm: ALSA's name of it.
  init(_ pcm: String) {
    self.pcm = pcm
    startThread("microphone", turns: .short) { [self] in
      // For this thread only, and with it gone.
      _ = bunny_alsa_hush()
      do throws(MicrophonePCM.Failure) { try run() } catch { events.put(.failed(error)) }
      events.close()
    }
  }

  /// Lets go of the microphone. Does not wait until that is done.
  func end() {
    isOver.isSet = true
    wake.signal()
    events.close()
  }

  private func run() throws(MicrophonePCM.Failure) {
    let microphone = try MicrophonePCM(pcm)
    var beginnings = 0
    var saidFalse = false
    try microphone.start()
    var patience = Self.firstPatience
    var lastTime = MonotonicTime.now
    while !isOver.isSet {
      try microphone.wait(or: wake, milliseconds: Int32(patience / .milliseconds(1)))
      do throws(MicrophonePCM.Failure) {
        let isLate = MonotonicTime.now - lastTime >= patience
        if let reading = try microphone.read(now: isLate) {
          lastTime = .now
          patience = Self.patience
          events.put(.captured(Captured(reading: reading, beginnings: beginnings)))
        } else if isLate {
          events.put(.silent(patience))
          return
        }
      } catch {
        // An overrun that the card does not count, or the machine was suspended.
        guard error.code == -EPIPE || error.code == -ESTRPIPE else { throw error }
        try microphone.start()
        beginnings += 1
      }
      if microphone.hasFalseStamps && !saidFalse { events.put(.falseStamps) }
      saidFalse = microphone.hasFalseStamps
    }
  }
}
