import BunnyCapture

/// What the command can be asked to do.
package enum Subcommand: String, CaseIterable, Sendable {
  /// The main job: no word of its own, its options follow the program's name.
  case live
  case streams, publish, inspect, devices, presets, encoders

  package var summary: String {
    switch self {
    case .live: "broadcast to a live stream of Bunny's: what --stream does"
    case .streams: "list, make, start and end live streams of Bunny's"
    case .publish: "broadcast to an RTMP server"
    case .inspect: "measure a recording or a playlist"
    case .devices: "list the cameras, and which one `auto` takes"
    case .presets: "list the built-in qualities"
    case .encoders: "measure what encodes here, and what each effort costs"
    }
  }

  /// How it is written, options left out.
  var usage: String { self == .live ? "--stream GUID" : rawValue }

  /// What stands after the options.
  var operand: String? {
    switch self {
    case .inspect: "FILE|URL"
    case .streams: "ACTION [GUID|TITLE]"
    case .live, .publish, .devices, .presets, .encoders: nil
    }
  }

  package var options: [OptionSpec] {
    switch self {
    case .live: OptionSpec.live
    case .streams: OptionSpec.streams
    case .publish: OptionSpec.publish
    case .inspect: OptionSpec.inspect
    case .devices: OptionSpec.devices
    case .presets: OptionSpec.presets
    case .encoders: OptionSpec.encoders
    }
  }
}

/// One option: how it is written, and what it does. Parser and help read the same list.
package struct OptionSpec: Sendable {
  /// With its dashes.
  package let name: String
  /// What stands for its value; nil: a switch.
  package let value: String?
  package let help: String
  /// How often it may be given.
  let most: Int

  init(_ name: String, _ value: String? = nil, _ help: String, most: Int = 1) {
    self.most = most
    self.name = name
    self.value = value
    self.help = help
  }

  static let help = OptionSpec("--help", nil, "Show this.")

  static let live =
    [
      OptionSpec("--stream", "GUID", "The live stream to broadcast to."),
      OptionSpec(
        "--create", "TITLE",
        "In place of --stream: make a stream, and broadcast to it. One that an earlier start made, and "
          + "that nobody has seen, is taken first."),
    ] + api + [
      OptionSpec("--no-start", nil, "Stay in preview: somebody else starts the stream."),
      OptionSpec("--start-now", nil, "Do not wait for the time of a scheduled stream."),
      OptionSpec(
        "--takeover", nil,
        "Publish although somebody else does. Two fight over the stream unless the other one ends."),
      OptionSpec(
        "--on-ended", "WHAT",
        "When the stream is over, ended or deleted from elsewhere: exit (the default); wait: ask every "
          + "30 s whether it can be published to again; create: make another one like it and go on "
          + "there, also at the next start."),
      OptionSpec(
        "--on-stream-created", "COMMAND",
        "Have the shell run this whenever a stream was made; BUNNY_STREAM_ID and BUNNY_STREAM_TITLE "
          + "in its environment say which."),
      OptionSpec(
        "--on-exit", "WHAT",
        "What becomes of the stream when a signal ends the broadcast: leave (the default), so that "
          + "the next broadcast resumes it, or end: for good, it can never run again."),
    ] + media

  static let publish =
    [
      OptionSpec(
        "--to", "URL",
        "Where to publish: rtmp://HOST[:PORT]/APP/KEY, or rtmps:// for TLS. Other users of this machine may read what "
          + "stands on a command line; --key-file keeps the key from them."),
      OptionSpec(
        "--backup", "URL",
        "The backup ingest: takes over when the first one fails, without losing a frame."),
      OptionSpec(
        "--key-file", "FILE",
        "Take the stream key from FILE (- is standard input); then the URLs end with the "
          + "application."),
    ] + media

  /// What both ways of broadcasting take.
  private static let media = [
    OptionSpec(
      "--video", "SRC",
      "The picture: \(VideoInput.grammar) (the default). pipe: is another program's H.264, on "
        + "standard input or through a FIFO; with --camera-format, size and fps, its raw frames. "
        + "Given up to 8 times: c at the terminal goes on to the next.",
      most: 8),
    OptionSpec(
      "--on-camera-loss", "WHAT",
      "wait (the default): open a lost camera again until it is back; next: go on to the next --video "
        + "that delivers, and stay there."),
    OptionSpec("--audio", "SRC", "The sound: \(AudioInput.grammar) (the default)."),
    OptionSpec(
      "--camera-format", "FORMAT",
      "Take the camera's picture in this format, such as YUYV, NV12 or MJPG. Else the cheapest one "
        + "that has the quality's size and rate."),
    OptionSpec("--camera-size", "WxH", "Take it in this size."),
    OptionSpec("--camera-fps", "RATE", "Take so many frames a second."),
    OptionSpec(
      "--camera-range", "RANGE",
      "What its samples mean: limited, full, or auto (the default), as its driver says. Many "
        + "webcams' YUYV claims to be limited, and is full."),
    OptionSpec(
      "--control", "NAME=VALUE,...",
      "Set the camera's controls, by the names that `v4l2-ctl --list-ctrls` shows; again each time "
        + "it is plugged in."),
    OptionSpec("--rotate", "DEGREES", "Turn the picture clockwise: 90, 180 or 270."),
    OptionSpec(
      "--mirror", nil, "Left and right change places, after the picture was turned."),
    OptionSpec(
      "--usb-reset", nil,
      "Reset the USB device of a camera or microphone that does not come back by being opened again. "
        + "Takes the right to write to its node in /dev/bus/usb."),
    OptionSpec(
      "--passthrough", nil,
      "Send the H.264 that the camera, or pipe:, has coded as it is, while it suits: the quality's "
        + "size and bit rate, a keyframe every 4 s, no B-frames. Else it is encoded anew, and why is "
        + "said."),
    OptionSpec(
      "--quality", "NAME|FILE",
      "A built-in quality (see `bunny-broadcast presets`) or a JSON file. Default: fullHd1080."),
    OptionSpec(
      "--cpu", "EFFORT",
      "How much of the processor the encoder may take: lightest, lighter, light, medium, good, better, "
        + "best, or auto (the default): the best that leaves a third of the processor free, unless the "
        + "quality's file names a preset. Where that is too much, less is taken, and said."),
    OptionSpec(
      "--latency", "WAY",
      "normal (the default), or low: no look-ahead, for a third of a second less delay."),
    OptionSpec(
      "--encoder", "NAME",
      "libx264, h264_v4l2m2m, h264_vaapi, or auto (the default): libx264, unless the processor will "
        + "hardly do and one in hardware works. `bunny-broadcast encoders` tells which do."),
    OptionSpec(
      "--orientation", "WAY", "landscape (the default), or portrait: turns the quality's size."),
    OptionSpec(
      "--fill", "HOW",
      "A picture of another shape gets bars (letterbox, the default) or loses its edges (crop)."),
    OptionSpec(
      "--slate", "FILE",
      "What is shown while there is no picture: a PNG of yours, or freeze: the last good picture. "
        + "Without it, a plain one that says why and since when."),
    OptionSpec(
      "--frozen-after", "TIME",
      "Say so when a camera's picture stays the same, to the bit, for so long, and open the camera "
        + "anew, once. Default: 30; off: never."),
    OptionSpec(
      "--black-after", "TIME",
      "Say so when it is black, or of one colour, for so long. Default: 30; off: never."),
    OptionSpec(
      "--silent-after", "TIME",
      "Say so when a microphone is silent for so long. Default: 30; off: never."),
    OptionSpec(
      "--silent-below", "DBFS", "What counts as silent: -120 to -10, in dBFS. Default: -70."),
    OptionSpec(
      "--bitrate", "HOW",
      "adaptive (the default): the picture's bit rate, then its frame rate and size, follow what the "
        + "network takes; fixed: what it does not take in time is left out."),
    OptionSpec("--filler", nil, "Pad an easy picture to the full bit rate."),
    OptionSpec(
      "--duration", "TIME",
      "End after this long: SECONDS, MM:SS, HH:MM:SS, or with a unit as in 90s, 5m, 2h."),
    OptionSpec(
      "--retry", "WHEN",
      "always (the default): try again, for ever; never: end when no ingest carries the stream any "
        + "more."),
    OptionSpec(
      "--redundancy", "HOW",
      "failover (the default): the backup ingest is kept connected, and takes over; cold: it is "
        + "connected when it is needed; dual: both carry the stream, at twice the uplink."),
    OptionSpec(
      "--prefer-primary", nil,
      "Go back to the primary ingest once it has been well for a minute, at most once in ten."),
    OptionSpec(
      "--replay", "HOW",
      "What the other ingest is sent first: squeezed (the default): what has not arrived, no "
        + "picture seen twice; plain: from the keyframe on, for servers that merge by timestamp; "
        + "none: a new keyframe, what was under way is lost."),
    OptionSpec(
      "--stall-limit", "SECONDS",
      "How long an ingest may owe a proof that it reads what it is sent. Default: 1.5."),
    OptionSpec(
      "--tls-ca", "FILE",
      "Trust the certificates in FILE (PEM) instead of this system's: authorities, or a server's "
        + "own. For rtmps:// URLs."),
    OptionSpec("--mute", nil, "Begin muted."),
    OptionSpec(
      "--events", "json", "Write what happens to standard output, one JSON object a line."),
    OptionSpec(
      "--log-level", "LEVEL",
      "error, warning, info (the default), debug or trace, on standard error."),
    help,
  ]

  static let inspect = [
    OptionSpec("--json", nil, "Write the report as JSON."),
    OptionSpec("--seconds", "N", "Stop after N seconds of media."),
    help,
  ]

  static let devices = [
    OptionSpec("--json", nil, "Write the list as one JSON object."),
    help,
  ]

  static let presets = [
    OptionSpec("--json", nil, "Write them in the format of quality files."),
    help,
  ]

  static let encoders = [
    OptionSpec("--json", nil, "Write the list as one JSON object."),
    OptionSpec(
      "--quality", "NAME|FILE", "Measure this one only, instead of every built-in quality."),
    help,
  ]
}
