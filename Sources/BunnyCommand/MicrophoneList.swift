import BunnyBroadcast
import BunnyCapture

/// The microphones in ``DeviceList``.
struct MicrophoneList {
  private let microphones: [Microphone]
  private let automatic: (microphone: Microphone?, reason: String)

  /// - Parameter camera: the USB device of the camera that `auto` takes.
  init(_ microphones: [Microphone], camera: USBIdentity?) {
    self.microphones = microphones
    automatic = MicrophoneChoice.automatic(among: microphones, camera: camera)
  }

  /// For people.
  var lines: [String] { microphones.isEmpty ? ["none"] : microphones.flatMap(lines) }

  var choiceWords: String {
    automatic.microphone.map { "alsa:\($0.pcm): \(automatic.reason)" }
      ?? "silence: \(automatic.reason)"
  }

  private func lines(_ microphone: Microphone) -> [String] {
    let names = [microphone.name, microphone.id, microphone.usb?.name].compactMap { $0 }
    let head = "alsa:\(microphone.pcm)  \(names.joined(separator: ", "))"
    if let holder = microphone.heldBy { return [head, "  held by \(holder)"] }
    return [
      head, "  \(list(microphone.rates)) Hz", "  \(list(microphone.channels)) channels",
      "  \(microphone.formats.joined(separator: ", "))",
    ]
  }

  private func list(_ numbers: [Int]) -> String {
    numbers.isEmpty ? "unknown" : numbers.map(String.init).joined(separator: ", ")
  }
}

extension MicrophoneList {
  var json: [JSONValue] {
    microphones.map { microphone in
      .object([
        .init("pcm", .string(microphone.pcm)), .init("id", .string(microphone.id)),
        .init("name", .string(microphone.name)), .init("usb", microphone.usb?.json ?? .null),
        .init("rates", .array(microphone.rates.map { .integer($0) })),
        .init("channels", .array(microphone.channels.map { .integer($0) })),
        .init("formats", .array(microphone.formats.map { .string($0) })),
        .init("heldBy", microphone.heldBy.map { .string($0) } ?? .null),
      ])
    }
  }

  var choice: [JSONValue.Member] {
    [
      .init("microphone", automatic.microphone.map { .string("alsa:\($0.pcm)") } ?? .null),
      .init("microphoneReason", .string(automatic.reason)),
    ]
  }
}

extension USBIdentity {
  /// `046d:0825`, or `046d:0825:SERIAL`.
  var name: String { model + (serial.map { ":\($0)" } ?? "") }

  var json: JSONValue {
    .object([
      .init("model", .string(model)), .init("serial", serial.map { .string($0) } ?? .null),
      .init("port", .string(port)),
    ])
  }
}
