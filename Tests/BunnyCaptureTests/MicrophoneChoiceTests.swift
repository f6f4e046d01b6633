import BunnyCapture
import BunnyMedia
import BunnySystem
import Foundation
import Support
import Testing

@Suite struct MicrophoneChoiceTests {
  private static func usb(
    _ product: UInt16, _ serial: String? = nil, port: String
  ) -> USBIdentity {
    USBIdentity(vendor: 0x046d, product: product, serial: serial, port: port)
  }

  private let loopback = Microphone(card: 0, device: 0, id: "Loopback", name: "Loopback")
  private let second = Microphone(card: 0, device: 1, id: "Loopback", name: "Loopback")
  private let webcam = Microphone(
    card: 1, device: 0, id: "Webcam", name: "USB Webcam", usb: usb(0x0825, "A1", port: "1-2"))
  private let grabber = Microphone(
    card: 2, device: 0, id: "Video", name: "USB3 Video", usb: usb(0x2109, port: "2-1"))
  private var all: [Microphone] { [loopback, second, webcam, grabber] }

  @Test(arguments: [
    ("hw:1,0", "hw:1,0"), ("hw:1", "hw:1,0"), ("plughw:CARD=Video,DEV=0", "plughw:2,0"),
    ("hw:Loopback,1,3", "hw:0,1,3"), ("Webcam", "hw:1,0"), ("usb webcam", "hw:1,0"),
    ("video", "hw:2,0"), ("046d:0825", "hw:1,0"), ("046D:0825:A1", "hw:1,0"),
    ("Loopback", "hw:0,0"), ("default", "default"), ("pulse", "pulse"),
    ("sysdefault:CARD=Video", "sysdefault:CARD=Video"),
  ])
  func `a microphone is found by any of its names`(name: String, pcm: String) throws {
    #expect(try MicrophoneChoice(name, among: all).pcm == pcm)
  }

  @Test(arguments: ["hw:3,0", "hw:1,1", "hw:Nothing", "046d:0001", "046d:0825:A2"])
  func `one that is not there says which are`(name: String) {
    let offered = [
      "hw:0,0 (Loopback)", "hw:0,1 (Loopback)", "hw:1,0 (USB Webcam)", "hw:2,0 (USB3 Video)",
    ]
    #expect(throws: MicrophoneProblem.missing(offered: offered)) {
      try MicrophoneChoice(name, among: all)
    }
  }

  @Test func `a name that means two cards is refused`() {
    #expect(throws: MicrophoneProblem.ambiguous(["hw:1,0 (USB Webcam)", "hw:2,0 (USB3 Video)"])) {
      try MicrophoneChoice("usb", among: all)
    }
  }

  @Test func `one that was unplugged is the same under another number, and no other is`() throws {
    let moved = Microphone(card: 5, device: 0, id: "Webcam_1", name: "USB Webcam", usb: webcam.usb)
    let known = KnownDevice(webcam, beside: all.compactMap(\.usb))
    #expect(
      try MicrophoneChoice("hw:1,0", among: [grabber, moved], known: known)
        == .device(moved, pcm: "hw:5,0"))
    let other = Microphone(
      card: 1, device: 0, id: "Webcam", name: "USB Webcam",
      usb: Self.usb(0x0825, "B2", port: "1-2"))
    #expect(throws: MicrophoneProblem.missing(offered: ["hw:1,0 (USB Webcam)"])) {
      try MicrophoneChoice("hw:1,0", among: [other], known: known)
    }
  }

  @Test func `of twins without a serial the one at the same port is taken, or none`() throws {
    let twins = [1, 2].map {
      Microphone(
        card: $0, device: 0, id: "Video", name: "USB3 Video", usb: Self.usb(0x2109, port: "1-\($0)")
      )
    }
    for twin in twins {
      let known = KnownDevice(twin, beside: twins.compactMap(\.usb))
      #expect(try MicrophoneChoice("hw:9,0", among: twins, known: known).pcm == twin.pcm)
      let gone = twins.filter { $0 != twin }
      #expect(throws: MicrophoneProblem.missing(offered: gone.map(\.words))) {
        try MicrophoneChoice("hw:9,0", among: gone, known: known)
      }
    }
  }

  @Test func `auto takes the camera's own, else the first, and says why`() {
    let own = MicrophoneChoice.automatic(among: all, camera: Self.usb(0x2109, port: "2-1"))
    #expect(own.microphone == grabber && own.reason == "it is the camera's own")
    let first = MicrophoneChoice.automatic(among: all, camera: Self.usb(0x0001, port: "9-9"))
    #expect(first.microphone == loopback && first.reason == "it is the first of several")
    let only = MicrophoneChoice.automatic(among: [webcam], camera: nil)
    #expect(only.microphone == webcam && only.reason == "it is the only one")
    let none = MicrophoneChoice.automatic(among: [], camera: nil)
    #expect(none.microphone == nil && none.reason == "no microphone is plugged in")
  }

  @Test func `cards are read as the kernel lists them`() throws {
    let root = try TemporaryDirectory()
    let manager = FileManager.default
    func folder(_ path: String) throws {
      try manager.createDirectory(atPath: root.file(path), withIntermediateDirectories: true)
    }
    func write(_ text: String, _ path: String) throws {
      try text.write(toFile: root.file(path), atomically: false, encoding: .utf8)
    }
    let usb = "sys/devices/pci0000:00/usb1/1-2"
    try folder("\(usb)/1-2:1.2/sound/card1")
    try folder("sys/devices/platform/snd_aloop.0/sound/card0")
    try folder("sys/class/sound")
    try folder("proc/asound/card1/pcm0c/sub0")
    try folder("proc/4711")
    try folder("proc/4712")
    try write("046d\n", "\(usb)/idVendor")
    try write("0825\n", "\(usb)/idProduct")
    try write("Webcam\n", "\(usb)/1-2:1.2/sound/card1/id")
    try write("Loopback\n", "sys/devices/platform/snd_aloop.0/sound/card0/id")
    let devices = ["card1": "\(usb)/1-2:1.2", "card0": "sys/devices/platform/snd_aloop.0"]
    for (card, device) in devices {
      try manager.createSymbolicLink(
        atPath: root.file("\(device)/sound/\(card)/device"), withDestinationPath: "../..")
      try manager.createSymbolicLink(
        atPath: root.file("sys/class/sound/\(card)"),
        withDestinationPath: root.file("\(device)/sound/\(card)"))
    }
    for node in ["pcmC0D0c", "pcmC0D0p", "pcmC1D0c", "controlC0", "timer", "seq"] {
      try folder("sys/class/sound/\(node)")
    }
    try write(
      " 0 [Loopback       ]: Loopback - Loopback\n                      Loopback 1\n"
        + " 1 [Webcam         ]: USB-Audio - USB Webcam - HD\n"
        + "                      USB Webcam at usb-0000:00:14.0-2, high speed\n",
      "proc/asound/cards")
    try write("state: RUNNING\nowner_pid   : 4712\n", "proc/asound/card1/pcm0c/sub0/status")
    try write("Name:\talsa-source\nTgid:\t4711\n", "proc/4712/status")
    try write("pulseaudio\n", "proc/4711/comm")

    let listed = Microphones.listed(root: root.path)
    let identity = USBIdentity(vendor: 0x046d, product: 0x0825, port: "1-2")
    #expect(
      listed == [
        Microphone(card: 0, device: 0, id: "Loopback", name: "Loopback"),
        Microphone(card: 1, device: 0, id: "Webcam", name: "USB Webcam - HD", usb: identity),
      ])
    #expect(Microphones.holder(of: listed[1], root: root.path) == "pulseaudio (process 4711)")
    #expect(Microphones.holder(of: listed[0], root: root.path) == nil)
    #expect(Microphones.listed(root: root.file("nothing")) == [])
  }

  @Test func `what is wrong with a microphone is a sentence that says what to do`() {
    func text(_ problem: MicrophoneProblem) -> String {
      SourceError.microphone("alsa:hw:1,0", problem).description
    }
    #expect(
      text(.busy(holder: "pulseaudio (process 812)"))
        == "alsa:hw:1,0 is held by pulseaudio (process 812); end that, or choose another microphone"
    )
    #expect(
      text(.missing(offered: ["hw:0,0 (Loopback)"]))
        == "alsa:hw:1,0 is not there; there is hw:0,0 (Loopback)")
    #expect(
      text(.missing(offered: []))
        == "alsa:hw:1,0 is not there, and no other microphone is; plug it in")
    #expect(
      text(.forbidden)
        == "alsa:hw:1,0 may not be opened by this user; add the user to the group audio")
  }

  @Test func `one that ALSA does not know is missing, and asked for again`() {
    let microphone = ALSAMicrophone("alsa:no such microphone")
    for _ in 0..<2 {
      #expect {
        try microphone.next()
      } throws: {
        if case SourceError.microphone("alsa:no such microphone", .missing)? = $0 as? SourceError {
          true
        } else {
          false
        }
      }
    }
    microphone.cancel()
    #expect(throws: Never.self) { try microphone.next() }
  }
}
