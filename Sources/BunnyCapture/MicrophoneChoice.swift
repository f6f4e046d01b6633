/// Which microphone a name means. Opens nothing.
package enum MicrophoneChoice: Equatable {
  /// A device of a card, to be opened under this name of ALSA's.
  case device(Microphone, pcm: String)
  /// A name that only ALSA's configuration knows: `default`, `sysdefault:CARD=Webcam`.
  case configured(String)

  /// ALSA's name for what is to be opened.
  package var pcm: String {
    switch self {
    case .device(_, let pcm): pcm
    case .configured(let name): name
    }
  }

  /// - Parameters:
  ///   - name: as `--audio` says it: `hw:1,0`, a card's number, name or short name, a USB device's
  ///     `vendor:product[:serial]`, or a name from ALSA's configuration.
  ///   - known: what it was the last time; another that has taken its number is not meant.
  package init(
    _ name: String, among microphones: [Microphone], known: KnownDevice<Microphone>? = nil
  ) throws(MicrophoneProblem) {
    let hardware = HardwareName(name)
    let found: [Microphone]
    if let known {
      found = known.found(among: microphones)
    } else if let hardware {
      found = microphones.filter(hardware.means)
    } else if let usb = USBName(name) {
      found = microphones.filter { $0.usb.map(usb.means) ?? false }
    } else {
      found = Self.isConfigured(name) ? [] : Self.called(name, among: microphones)
      if found.isEmpty {
        self = .configured(name)
        return
      }
    }
    guard let first = found.first else {
      throw .missing(offered: microphones.map(\.words))
    }
    // One card's devices are told apart by number; two cards are not told apart for the user.
    guard found.allSatisfy({ $0.card == first.card }) || known != nil else {
      throw .ambiguous(found.map(\.words))
    }
    let prefix = hardware?.prefix ?? "hw"
    let subdevice = hardware?.subdevice.map { ",\($0)" } ?? ""
    self = .device(first, pcm: "\(prefix):\(first.card),\(first.device)\(subdevice)")
  }

  /// ALSA's own words for what its configuration chooses; a card may have one of them in its name.
  private static func isConfigured(_ name: String) -> Bool {
    ["default", "sysdefault", "pulse", "pipewire", "jack"].contains(name) || name.contains(":")
  }

  private static func called(_ name: String, among microphones: [Microphone]) -> [Microphone] {
    let exact = microphones.filter { $0.id == name || $0.name == name }
    if !exact.isEmpty { return exact }
    let wanted = name.lowercased()
    return microphones.filter {
      $0.id.lowercased() == wanted || $0.name.lowercased().contains(wanted)
    }
  }

  /// The one that `auto` takes, and why.
  ///
  /// - Parameter camera: the USB device whose picture is broadcast.
  package static func automatic(
    among microphones: [Microphone], camera: USBIdentity?
  ) -> (microphone: Microphone?, reason: String) {
    let own = camera.flatMap { camera in microphones.first { $0.usb?.port == camera.port } }
    if let own { return (own, "it is the camera's own") }
    guard let first = microphones.first else {
      return (nil, "no microphone is plugged in")
    }
    let others = microphones.contains { $0.card != first.card }
    return (first, others ? "it is the first of several" : "it is the only one")
  }
}

extension Microphone {
  /// `hw:1,0 (USB Webcam)`.
  package var words: String { "\(pcm) (\(name))" }
}

/// `hw:1,0`, `plughw:CARD=Webcam,DEV=0`, `hw:Webcam`.
private struct HardwareName {
  let prefix: String
  let card: String
  let device: Int
  let subdevice: Int?

  init?(_ name: String) {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "hw" || parts[0] == "plughw" else { return nil }
    let values = parts[1].split(separator: ",").map { value in
      ["CARD=", "DEV=", "SUBDEV="].first(where: value.hasPrefix).map {
        value.dropFirst($0.count)
      } ?? value
    }
    guard let card = values.first, values.count <= 3 else { return nil }
    let numbers = values.dropFirst().map { Int($0) }
    guard !numbers.contains(nil) else { return nil }
    prefix = String(parts[0])
    self.card = String(card)
    device = numbers.first.flatMap { $0 } ?? 0
    subdevice = numbers.dropFirst().first.flatMap { $0 }
  }

  func means(_ microphone: Microphone) -> Bool {
    device == microphone.device && (card == microphone.id || Int(card) == microphone.card)
  }
}

/// `046d:0825` or `046d:0825:SERIAL`.
private struct USBName {
  let model: String
  let serial: String?

  init?(_ name: String) {
    let parts = name.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    let isModel = parts.prefix(2).allSatisfy { $0.utf8.count == 4 && UInt16($0, radix: 16) != nil }
    guard parts.count >= 2, isModel else { return nil }
    model = "\(parts[0]):\(parts[1])".lowercased()
    serial = parts.count == 3 ? String(parts[2]) : nil
  }

  func means(_ identity: USBIdentity) -> Bool {
    identity.model == model && (serial == nil || serial == identity.serial)
  }
}
