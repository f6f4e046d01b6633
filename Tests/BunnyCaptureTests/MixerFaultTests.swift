import BunnyCapture
import Testing

@Suite struct MixerFaultTests {
  static let mixers: [([MixerElement], String?)] = [
    // A USB webcam, a USB sound card.
    ([MixerElement("Mic", isOn: true, isLowest: false)], nil),
    (
      [MixerElement("Mic", isOn: false, isLowest: true)],
      "the capture switch 'Mic' of its mixer is off; `amixer -c Card sset 'Mic' cap` turns it on"
    ),
    (
      [MixerElement("PCM"), MixerElement("Mic", isOn: true, isLowest: true)],
      "the capture volume 'Mic' of its mixer is at its lowest; `amixer -c Card sset 'Mic' capture "
        + "75%` turns it up"
    ),
    // A PC's codec: its converter has the switch, its microphone a boost.
    (
      [
        MixerElement("Mic Boost", isLowest: true),
        MixerElement("Capture", isOn: true, isLowest: false),
      ], nil
    ),
    (
      [
        MixerElement("Internal Mic Boost", isLowest: true),
        MixerElement("Capture", isOn: true, isLowest: false),
        MixerElement("Capture", index: 1, isOn: false, isLowest: true),
      ], nil
    ),
    (
      [
        MixerElement("Capture", index: 1, isOn: false, isLowest: true)
      ],
      "the capture switch 'Capture',1 of its mixer is off; `amixer -c Card sset 'Capture',1 cap` "
        + "turns it on"
    ),
    // An older one: one of its inputs is chosen, and its converter on.
    (
      [
        MixerElement("Line", isOn: true), MixerElement("CD", isOn: false),
        MixerElement("Mic", isOn: false), MixerElement("Capture", isOn: true, isLowest: false),
      ], nil
    ),
    (
      [
        MixerElement("Line", isOn: false), MixerElement("Mic", isOn: false),
        MixerElement("Capture", isOn: true, isLowest: false),
      ],
      "the capture switch 'Mic' of its mixer is off; `amixer -c Card sset 'Mic' cap` turns it on"
    ),
    ([MixerElement("Line", isOn: false, isLowest: true), MixerElement("Mic", isOn: true)], nil),
    ([], nil),
    ([MixerElement("Master"), MixerElement("PCM")], nil),
  ]

  @Test(arguments: mixers)
  func `what keeps a card from hearing is named with the command that mends it`(
    _ elements: [MixerElement], _ words: String?
  ) {
    #expect(MixerFault(elements)?.words(card: "Card") == words)
  }
}
