package import BunnyBroadcast
package import BunnyCapture
package import BunnyMedia
import BunnyRTMP
import BunnySystem

/// What a broadcast was asked for. Nothing is opened or read yet.
package struct PublishOptions: Equatable, Sendable {
  /// Where to.
  package enum Target: Equatable, Sendable {
    /// An RTMP server: the job of `publish`.
    case ingest(IngestOptions)
    /// A live stream of Bunny's: the main job.
    case live(LiveOptions)
  }

  package var target: Target
  package var video = VideoInput.automatic
  /// Those that the picture goes on to.
  package var otherVideos: [VideoInput] = []
  package var onCameraLoss = CameraLoss.wait
  package var resetsUSB = false
  package var turn = PictureTurn.none
  package var audio = AudioInput.automatic
  /// As written, addresses without path and query: shown in the first event.
  package var videoText = "auto"
  package var audioText = "auto"
  package var camera = CameraSettings()
  package var slate = Slate.Choice.standard
  package var vitals = VitalLimits()
  /// A built-in name or the path of a file.
  package var quality = "fullHd1080"
  /// nil: auto.
  package var cpu: EncoderEffort?
  package var latency = BroadcastConfiguration.Latency.normal
  /// nil: auto.
  package var encoder: VideoEncoder.Kind?
  package var stateFolder: String?
  package var isPortrait = false
  package var fill = PictureFit.Fill.letterbox
  package var fillsUp = false
  package var bitrate = BroadcastConfiguration.Bitrate.adaptive
  package var duration: Duration?
  package var triesAgain = true
  package var isMuted = false
  package var redundancy = BroadcastConfiguration.Redundancy.failover
  package var prefersPrimary = false
  package var replay = BroadcastConfiguration.Replay.squeezed
  /// Seconds.
  package var stallLimit = 1.5
  /// A file of certificates to trust in place of the system's.
  package var tlsCA: String?
  package var writesEvents = false
  package var logLevel = LogLevel.info

  package init(_ target: Target) { self.target = target }

  /// - Parameter target: read from the same arguments.
  init(_ target: Target, _ arguments: Arguments) throws(CommandError) {
    self.target = target
    quality = arguments.value("--quality") ?? quality
    fillsUp = arguments.has("--filler")
    resetsUSB = arguments.has("--usb-reset")
    isMuted = arguments.has("--mute")
    tlsCA = arguments.value("--tls-ca")
    prefersPrimary = arguments.has("--prefer-primary")
    try readSources(arguments)
    camera = try CameraSettings(arguments)
    vitals = try VitalLimits(arguments)
    if let text = arguments.value("--slate") { slate = text == "freeze" ? .freeze : .file(text) }
    try readChoices(arguments)
    try checkTogether()
  }

  /// The live stream of Bunny's that is broadcast to, if it is one.
  package var live: LiveOptions? {
    if case .live(let live) = target { live } else { nil }
  }

  private mutating func readSources(_ arguments: Arguments) throws(CommandError) {
    do {
      let texts = try arguments.values("--video").map { text throws(CommandError) in
        try Self.source("--video", VideoInput.grammar, text)
      }
      var videos: [VideoInput] = []
      for text in texts { videos.append(try VideoInput(text)) }
      if let first = videos.first {
        (video, videoText, otherVideos) = (first, "\(first)", Array(videos.dropFirst()))
      }
      if let written = arguments.value("--audio") {
        let text = try Self.source("--audio", AudioInput.grammar, written)
        (audio, audioText) = (try AudioInput(text), hidingAddress(text))
      }
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.usage, "\(error)")
    }
  }

  /// A URL is no source, and may hold a key: it is not shown.
  private static func source(
    _ name: String, _ grammar: String, _ text: String
  ) throws(CommandError) -> String {
    guard !text.hasPrefix("rtmp") || !text.contains("://") else {
      throw CommandError(.usage, "\(name) was given a URL; it takes \(grammar)")
    }
    return text
  }

  private static func stallLimit(_ text: String) throws(CommandError) -> Double {
    let isDecimal = text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard isDecimal, let seconds = Double(text), (0.2...60).contains(seconds) else {
      throw CommandError(.usage, "--stall-limit is \(text); it takes seconds, 0.2 to 60")
    }
    return seconds
  }

  /// What is fine alone and would do nothing in company is a mistake.
  private func checkTogether() throws(CommandError) {
    try checkPipe()
    try checkPassthrough()
    if onCameraLoss == .next, otherVideos.isEmpty {
      throw CommandError(
        .usage, "--on-camera-loss next needs a second camera; give --video once more for it")
    }
    if redundancy == .dual, prefersPrimary || replay == .none {
      throw CommandError(
        .usage,
        "--redundancy dual publishes to both ingests at once, which leaves nothing to "
          + "\(prefersPrimary ? "--prefer-primary" : "--replay none"); leave one of the two out")
    }
    guard case .ingest(let ingests) = target, ingests.backup == nil else { return }
    if redundancy != .failover || prefersPrimary {
      throw CommandError(
        .usage,
        "\(prefersPrimary ? "--prefer-primary" : "--redundancy \(redundancy.rawValue)") needs a "
          + "second ingest; give --backup URL, or leave it out")
    }
  }

  private func checkPassthrough() throws(CommandError) {
    guard camera.passthrough else { return }
    let mayBeCoded = ([video] + otherVideos).contains {
      switch $0 {
      case .automatic, .camera, .pipe: true
      case .test, .file, .libavdevice: false
      }
    }
    guard mayBeCoded else {
      throw CommandError(
        .usage, "--passthrough is for a camera or pipe:, and --video is neither; leave it out")
    }
    guard turn == .none else {
      throw CommandError(
        .usage,
        "--passthrough sends the picture as it is, so it cannot be turned; leave out --rotate and "
          + "--mirror, or --passthrough")
    }
  }

  private func checkPipe() throws(CommandError) {
    let pipes = ([video] + otherVideos).filter { if case .pipe = $0 { true } else { false } }
    guard !pipes.isEmpty else { return }
    do { _ = try PipeForm(camera) } catch { throw CommandError(.usage, "--video pipe: \(error)") }
    guard Set(pipes.map(\.description)).count == pipes.count else {
      throw CommandError(
        .usage, "the same pipe is given twice; each --video pipe:PATH needs a FIFO of its own")
    }
    guard pipes.contains(.pipe(nil)), target.readsStandardInput else { return }
    throw CommandError(
      .usage,
      "the key and --video pipe: cannot both be read from standard input; put the key in a file, or "
        + "give pipe:PATH of a FIFO")
  }

  private mutating func readChoices(_ arguments: Arguments) throws(CommandError) {
    let orientation = try arguments.choice(
      "--orientation", ["landscape", "portrait"], or: "landscape")
    isPortrait = orientation == "portrait"
    let fills = PictureFit.Fill.allCases.map(\.rawValue)
    fill = PictureFit.Fill(rawValue: try arguments.choice("--fill", fills, or: fill.rawValue))!
    try readEncoding(arguments)
    let turns = PictureTurn.Rotation.allCases.map { "\($0.rawValue)" }
    let degrees = try arguments.choice("--rotate", turns, or: "0")
    turn = PictureTurn(
      .init(rawValue: Int(degrees)!)!, isMirrored: arguments.has("--mirror"))
    let bitrates = BroadcastConfiguration.Bitrate.allCases.map(\.rawValue)
    bitrate = .init(rawValue: try arguments.choice("--bitrate", bitrates, or: bitrate.rawValue))!
    let losses = CameraLoss.allCases.map(\.rawValue)
    onCameraLoss = CameraLoss(
      rawValue: try arguments.choice("--on-camera-loss", losses, or: onCameraLoss.rawValue))!
    let ways = BroadcastConfiguration.Redundancy.allCases.map(\.rawValue)
    redundancy = .init(
      rawValue: try arguments.choice("--redundancy", ways, or: redundancy.rawValue))!
    let replays = BroadcastConfiguration.Replay.allCases.map(\.rawValue)
    replay = .init(rawValue: try arguments.choice("--replay", replays, or: replay.rawValue))!
    if let text = arguments.value("--stall-limit") { stallLimit = try Self.stallLimit(text) }
    triesAgain = try arguments.choice("--retry", ["always", "never"], or: "always") == "always"
    writesEvents = try arguments.choice("--events", ["json"], or: "") == "json"
    let levels = LogLevel.allCases.map(\.name)
    logLevel = LogLevel(named: try arguments.choice("--log-level", levels, or: "info"))!
    if let text = arguments.value("--duration") {
      duration = try DurationText.read(text, option: "--duration")
    }
  }
}

extension PublishOptions {
  private mutating func readEncoding(_ arguments: Arguments) throws(CommandError) {
    let efforts = EncoderEffort.allCases.map { "\($0)" }
    cpu = EncoderEffort(named: try arguments.choice("--cpu", efforts + ["auto"], or: "auto"))
    let latencies = BroadcastConfiguration.Latency.allCases.map(\.rawValue)
    latency = .init(
      rawValue: try arguments.choice("--latency", latencies, or: latency.rawValue))!
    let encoders = VideoEncoder.Kind.allCases.map(\.rawValue)
    encoder = .init(
      rawValue: try arguments.choice("--encoder", encoders + ["auto"], or: "auto"))
  }
}

extension PublishOptions.Target {
  fileprivate var readsStandardInput: Bool {
    switch self {
    case .ingest(let ingests): ingests.keyFile == "-"
    case .live(let live): live.api.readsStandardInput
    }
  }
}

extension Arguments {
  /// The value of an option that takes one of a few words.
  func choice(
    _ name: String, _ words: [String], or standard: String
  ) throws(CommandError) -> String {
    guard let written = value(name) else { return standard }
    guard let word = words.first(where: { $0 == written.lowercased() }) else {
      throw CommandError(
        .usage,
        "\(name) is \(written); it takes \(Self.list(words))\(didYouMean(written, among: words))")
    }
    return word
  }

  private static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return "\(words.dropLast().joined(separator: ", ")) or \(last)"
  }
}
