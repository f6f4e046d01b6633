import BunnyMedia
import BunnySystem

/// What a camera has coded itself, on its way through the video lane: passed on as it is, or decoded so that
/// it can be encoded anew. Belongs to the video lane's thread.
struct CodedPictures {
  enum Step {
    case wait
    case pass
    /// ``decoded`` is to be shown.
    case show
  }

  /// The pictures of the last one that was decoded.
  private(set) var decoded: [Picture] = []
  /// From the last keyframe on.
  private var gop: [AccessUnit] = []
  private var decoder: Decoder?
  private var rule: Passthrough
  private let begin: Passthrough
  private let decodeError: @Sendable () -> Void
  private let notice: @Sendable (String) -> Void
  private var said = ""
  private var number: Int?
  /// The last picture was passed on.
  private(set) var isPassing = false

  /// - Parameters:
  ///   - decodeError: is called for each picture that cannot be decoded.
  ///   - notice: is told when passing on begins, and why it ends, in a sentence.
  init(
    _ rule: Passthrough, decodeError: @escaping @Sendable () -> Void,
    notice: @escaping @Sendable (String) -> Void
  ) {
    (self.rule, begin) = (rule, rule)
    (self.decodeError, self.notice) = (decodeError, notice)
  }

  mutating func take(_ unit: AccessUnit) throws(AVFailure) -> Step {
    // Another camera's, or the same one's anew: they count from 0.
    if let number, unit.facts.number <= number { leave() }
    number = unit.facts.number
    switch rule.judge(unit.facts, at: unit.time) {
    case .wait:
      decodeError()
      return .wait
    case .pass:
      say("the camera's own H.264 goes to the ingest as it is")
      if unit.facts.isKeyframe { gop.removeAll(keepingCapacity: true) }
      gop.append(unit)
      (isPassing, decoder) = (true, nil)
      return .pass
    case .refuse(let reason):
      say("the camera's own H.264 is encoded anew: \(reason)")
      _ = try lastPicture()
      try decode(unit)
      return .show
    case .reencode:
      try decode(unit)
      return .show
    }
  }

  /// The camera is lost, or what follows is not its own.
  mutating func leave() {
    (gop, decoder, isPassing) = ([], nil, false)
    rule = begin
  }

  /// The last picture that was passed on; nothing is passed on any more.
  mutating func lastPicture() throws(AVFailure) -> Picture? {
    var last: Picture?
    for unit in gop {
      try decode(unit)
      last = decoded.last ?? last
    }
    (gop, isPassing) = ([], false)
    return last
  }

  private mutating func decode(_ unit: AccessUnit) throws(AVFailure) {
    let decoder = if let decoder { decoder } else { try Decoder(annexB: decodeError) }
    self.decoder = decoder
    decoded.removeAll(keepingCapacity: true)
    decoder.pictures(unit.packet, stampedAt: unit.time, into: &decoded)
  }

  private mutating func say(_ sentence: String) {
    if sentence != said { notice(sentence) }
    said = sentence
  }
}
