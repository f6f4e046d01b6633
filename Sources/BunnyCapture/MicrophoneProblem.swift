/// Why a microphone cannot be opened. Its words follow the microphone's name.
public enum MicrophoneProblem: Error, Equatable, Sendable {
  /// There is none by that name; these there are.
  case missing(offered: [String])
  /// Several go by that name.
  case ambiguous([String])
  /// This user may not open it.
  case forbidden
  /// Another program holds it: its name and process, where `/proc` tells.
  case busy(holder: String?)
  /// It delivers its samples in no form that can be read.
  case strangeForm(reason: String)
  /// A call failed.
  case failed(call: String, reason: String)
}

extension MicrophoneProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let offered) where offered.isEmpty:
      "is not there, and no other microphone is; plug it in"
    case .missing(let offered):
      "is not there; there is \(offered.joined(separator: ", "))"
    case .ambiguous(let offered):
      "may be any of \(offered.joined(separator: ", ")); give one of these"
    case .forbidden: "may not be opened by this user; add the user to the group audio"
    case .busy(let holder):
      "is held by \(holder ?? "another program"); end that, or choose another microphone"
    case .strangeForm(let reason):
      "delivers no sound that can be read: \(reason); try it with `alsa:plughw:` before its number"
    case .failed(let call, let reason): "failed at \(call): \(reason); choose another --audio"
    }
  }
}
