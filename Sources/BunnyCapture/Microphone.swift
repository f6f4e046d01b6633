import BunnySystem

/// A sound card's device that captures, as the kernel describes it.
public struct Microphone: Equatable, Sendable {
  /// The card's number, which may be another after the next plugging in.
  public let card: Int
  /// Which of the card's devices.
  public let device: Int
  /// The card's short name: `Webcam`.
  public let id: String
  /// What the card calls itself: `USB Webcam`.
  public let name: String
  public let usb: USBIdentity?
  /// Samples a second that it offers, of the usual ones. Empty when it could not be asked.
  public var rates: [Int] = []
  public var channels: [Int] = []
  /// ALSA's names of those it offers and that can be read: `S16_LE`.
  public var formats: [String] = []
  /// Which program holds it: `pulseaudio (process 812)`.
  public var heldBy: String?

  package init(card: Int, device: Int, id: String, name: String, usb: USBIdentity? = nil) {
    self.card = card
    self.device = device
    self.id = id
    self.name = name
    self.usb = usb
  }

  /// ALSA's name of it: `hw:1,0`.
  public var pcm: String { "hw:\(card),\(device)" }

  package func isSame(as other: Microphone) -> Bool {
    guard device == other.device else { return false }
    guard let usb, let known = other.usb else {
      return self.usb == nil && other.usb == nil && id == other.id && name == other.name
    }
    return usb.isSameDevice(as: known)
  }
}

/// The microphones of this machine.
public enum Microphones {
  /// All of them, each asked what it offers. One that is held by a program cannot be asked.
  public static func all() -> [Microphone] {
    listed().map { microphone in
      var microphone = microphone
      microphone.heldBy = holder(of: microphone)
      MicrophonePCM.describe(&microphone)
      return microphone
    }
  }

  /// All of them, none opened.
  ///
  /// - Parameter root: where `sys` and `proc` are.
  package static func listed(root: String = "") -> [Microphone] {
    let sound = "\(root)/sys/class/sound"
    let names = cardNames(SystemFiles.lines("\(root)/proc/asound/cards"))
    return SystemFiles.names(in: sound)
      .compactMap(captureDevice)
      .sorted { ($0.card, $0.device) < ($1.card, $1.device) }
      .map { card, device in
        let id = SystemFiles.text("\(sound)/card\(card)/id") ?? "\(card)"
        return Microphone(
          card: card, device: device, id: id, name: names[card] ?? id,
          usb: USBIdentity(ofDeviceAt: "\(sound)/card\(card)/device"))
      }
  }

  /// `pcmC1D0c` is card 1, device 0, capture.
  private static func captureDevice(_ node: String) -> (card: Int, device: Int)? {
    guard node.hasPrefix("pcmC"), node.hasSuffix("c") else { return nil }
    let numbers = node.dropFirst(4).dropLast().split(separator: "D").map { Int($0) }
    guard numbers.count == 2, let card = numbers[0], let device = numbers[1] else { return nil }
    return (card, device)
  }

  /// Of `/proc/asound/cards`: ` 1 [Webcam         ]: USB-Audio - USB Webcam`, and a line of details.
  private static func cardNames(_ lines: [String]) -> [Int: String] {
    var names: [Int: String] = [:]
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 1)
      guard let number = words.first.flatMap({ Int($0) }), let colon = line.firstIndex(of: ":")
      else { continue }
      let rest = line[colon...].dropFirst().drop { $0 == " " }
      let dash = rest.firstRange(of: " - ")
      names[number] = String(dash.map { rest[$0.upperBound...] } ?? rest)
    }
    return names
  }

  /// The program that captures from it.
  package static func holder(of microphone: Microphone, root: String = "") -> String? {
    let folder = "\(root)/proc/asound/card\(microphone.card)/pcm\(microphone.device)c"
    for sub in SystemFiles.names(in: folder) where sub.hasPrefix("sub") {
      let lines = SystemFiles.lines("\(folder)/\(sub)/status")
      let owner = lines.first { $0.hasPrefix("owner_pid") }?.split(separator: " ").last
      guard let owner, Int(owner) != nil else { continue }
      // The owner is a thread, which says whose.
      let facts = SystemFiles.lines("\(root)/proc/\(owner)/status")
      let group = facts.first { $0.hasPrefix("Tgid:") }?.split(separator: "\t").last ?? owner
      let name = SystemFiles.text("\(root)/proc/\(group)/comm") ?? "a program that has ended"
      return "\(name) (process \(group))"
    }
    return nil
  }
}
