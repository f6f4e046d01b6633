import BunnySystem
import CBunnyALSA
import Synchronization

/// One element of a sound card's mixer, as far as it is about capture.
package struct MixerElement: Equatable, Sendable {
  package var name: String
  /// Tells elements of one name apart.
  package var index = 0
  /// Whether anything gets through; nil: it has no capture switch.
  package var isOn: Bool?
  /// Whether its capture volume is at its lowest; nil: it has none.
  package var isLowest: Bool?

  package init(_ name: String, index: Int = 0, isOn: Bool? = nil, isLowest: Bool? = nil) {
    (self.name, self.index, self.isOn, self.isLowest) = (name, index, isOn, isLowest)
  }

  /// It is the converter's own; others are inputs, of which one is enough.
  fileprivate var isConverter: Bool { name.hasPrefix("Capture") || name.hasPrefix("ADC") }
  /// At its lowest it adds nothing, and takes nothing away.
  fileprivate var isBoost: Bool { name.hasSuffix("Boost") }
}

/// What keeps a card from hearing anything, told from its mixer. Opens nothing.
package enum MixerFault: Equatable, Sendable {
  case switchedOff(MixerElement)
  case turnedDown(MixerElement)

  /// nil: nothing does.
  package init?(_ elements: [MixerElement]) {
    if let off = Self.culprit(elements.filter { $0.isOn != nil }, { $0.isOn == false }) {
      self = .switchedOff(off)
      return
    }
    let volumes = elements.filter { $0.isLowest != nil && $0.isOn != false && !$0.isBoost }
    guard let low = Self.culprit(volumes, { $0.isLowest == true }) else { return nil }
    self = .turnedDown(low)
  }

  /// Sound has to get through one input and through one converter.
  private static func culprit(
    _ elements: [MixerElement], _ isShut: (MixerElement) -> Bool
  ) -> MixerElement? {
    let ways = [elements.filter(\.isConverter), elements.filter { !$0.isConverter }]
    let shut = ways.first { !$0.isEmpty && $0.allSatisfy(isShut) }
    return shut.flatMap { way in way.first { $0.name.contains("Mic") } ?? way.first }
  }

  /// What it is, and the command that mends it.
  ///
  /// - Parameter card: its short name.
  package func words(card: String) -> String {
    switch self {
    case .switchedOff(let element):
      "the capture switch \(Self.name(element)) of its mixer is off; "
        + "`amixer -c \(card) sset \(Self.name(element)) cap` turns it on"
    case .turnedDown(let element):
      "the capture volume \(Self.name(element)) of its mixer is at its lowest; "
        + "`amixer -c \(card) sset \(Self.name(element)) capture 75%` turns it up"
    }
  }

  private static func name(_ element: MixerElement) -> String {
    "'\(element.name)'" + (element.index > 0 ? ",\(element.index)" : "")
  }
}

/// Asks a card's mixer, on a thread of its own: some answer slowly, and sound must not wait for them.
final class MicrophoneMixer: Sendable {
  /// The last question has not been answered yet: another would only leave another thread behind.
  private let isAsking = Mutex(false)

  /// - Parameter tell: is told what keeps the card from hearing; not, where nothing does, or its mixer
  ///   cannot be asked.
  func ask(_ microphone: Microphone, _ tell: @escaping @Sendable (String) -> Void) {
    let isFree = isAsking.withLock { isAsking in
      defer { isAsking = true }
      return !isAsking
    }
    guard isFree else { return }
    startThread("mixer") { [self] in
      // For this thread only, and with it gone.
      _ = bunny_alsa_hush()
      let elements = try? Self.elements(ofCard: microphone.card)
      isAsking.withLock { $0 = false }
      if let fault = elements.flatMap(MixerFault.init) { tell(fault.words(card: microphone.id)) }
    }
  }

  private static func elements(
    ofCard card: Int
  ) throws(MicrophonePCM.Failure) -> [MixerElement] {
    let mixer = try MixerHandle.open(card)
    var elements: [MixerElement] = []
    var next = snd_mixer_first_elem(mixer.raw)
    while let element = next {
      if snd_mixer_selem_is_active(element) != 0 { elements.append(MixerElement(element)) }
      next = snd_mixer_elem_next(element)
    }
    return elements
  }
}

/// Owns one `snd_mixer_t`. Nothing else.
private struct MixerHandle: ~Copyable {
  let raw: OpaquePointer
  private init(_ raw: OpaquePointer) { self.raw = raw }
  deinit { snd_mixer_close(raw) }

  static func open(_ card: Int) throws(MicrophonePCM.Failure) -> MixerHandle {
    var raw: OpaquePointer?
    try MicrophonePCM.check("snd_mixer_open", snd_mixer_open(&raw, 0))
    let mixer = MixerHandle(raw!)
    let control = try MicrophonePCM.withConfiguration {
      (configuration) throws(MicrophonePCM.Failure) in
      var control: OpaquePointer?
      try MicrophonePCM.check(
        "snd_ctl_open", snd_ctl_open_lconf(&control, "hw:\(card)", 0, configuration))
      return control!
    }
    var elements: OpaquePointer?
    let code = snd_hctl_open_ctl(&elements, control)
    if code < 0 { snd_ctl_close(control) }
    try MicrophonePCM.check("snd_hctl_open_ctl", code)
    // From here on it closes them.
    try MicrophonePCM.check("snd_mixer_attach_hctl", snd_mixer_attach_hctl(mixer.raw, elements))
    try MicrophonePCM.check(
      "snd_mixer_selem_register", snd_mixer_selem_register(mixer.raw, nil, nil))
    try MicrophonePCM.check("snd_mixer_load", snd_mixer_load(mixer.raw))
    return mixer
  }
}

extension MixerElement {
  fileprivate init(_ element: OpaquePointer) {
    self.init(
      String(cString: snd_mixer_selem_get_name(element)),
      index: Int(snd_mixer_selem_get_index(element)))
    let channels = (0...SND_MIXER_SCHN_LAST.rawValue).map { snd_mixer_selem_channel_id_t($0) }
      .filter { snd_mixer_selem_has_capture_channel(element, $0) != 0 }
    if snd_mixer_selem_has_capture_switch(element) != 0 {
      isOn = channels.contains { channel in
        var isOn: Int32 = 1
        return snd_mixer_selem_get_capture_switch(element, channel, &isOn) < 0 || isOn != 0
      }
    }
    var (lowest, highest) = (0, 0)
    guard snd_mixer_selem_has_capture_volume(element) != 0,
      snd_mixer_selem_get_capture_volume_range(element, &lowest, &highest) == 0, lowest < highest
    else { return }
    isLowest = channels.allSatisfy { channel in
      var volume = 0
      return snd_mixer_selem_get_capture_volume(element, channel, &volume) == 0
        && volume <= lowest
    }
  }
}
