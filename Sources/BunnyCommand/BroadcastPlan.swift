package import BunnyBroadcast
import BunnyRTMP

extension PublishOptions {
  /// What the library is asked to do for `publish`: reads the key, quality and certificate files,
  /// opens nothing else.
  ///
  /// - Parameters:
  ///   - wanted: the target's.
  ///   - warn: told what is odd, and no reason to stop.
  package func configuration(
    to wanted: IngestOptions, warn: (String) -> Void
  ) throws(CommandError) -> BroadcastConfiguration {
    let (primary, backup) = try wanted.ingests(warn: warn)
    if tlsCA != nil, ![primary, backup].contains(where: { $0?.isSecure == true }) {
      warn("--tls-ca is of no use: no ingest is rtmps://")
    }
    return try media(try validQuality())(primary, backup)
  }

  /// What the library is asked to do, but for the ingests: makes a configuration for those.
  ///
  /// - Parameter quality: ``validQuality()``.
  func media(
    _ quality: BroadcastQuality
  ) throws(CommandError)
    -> @Sendable (_ primary: Ingest, _ backup: Ingest?)
    -> BroadcastConfiguration
  {
    let tlsTrust = try validTrust()
    return { [self] primary, backup in
      var configuration = BroadcastConfiguration(
        ingest: primary, video: video, audio: audio, quality: quality)
      configuration.backup = backup
      configuration.cpu = cpu
      configuration.latency = latency
      configuration.encoder = encoder
      configuration.stateFolder = stateFolder
      configuration.otherVideos = otherVideos
      configuration.onCameraLoss = onCameraLoss
      configuration.resetsUSB = resetsUSB
      configuration.camera = camera
      configuration.turn = turn
      configuration.fill = fill
      configuration.bitrate = bitrate
      configuration.slate = slate
      configuration.vitals = vitals
      configuration.retry = triesAgain ? .always : .never
      configuration.duration = duration
      configuration.isMuted = isMuted
      configuration.tlsTrust = tlsTrust
      configuration.redundancy = redundancy
      configuration.prefersPrimary = prefersPrimary
      configuration.replay = replay
      configuration.stallLimit = stallLimit
      return configuration
    }
  }

  private func validTrust() throws(CommandError) -> TLSTrust {
    let trust = tlsCA.map { TLSTrust.file($0) } ?? .system
    do throws(TLSFailure) {
      if tlsCA != nil { try trust.check() }
      return trust
    } catch { throw CommandError(.noInput, "--tls-ca: \(error)") }
  }

  /// The quality that was asked for; reads its file, if it is in one.
  func validQuality() throws(CommandError) -> BroadcastQuality {
    do {
      var quality = try BroadcastQuality(named: quality).oriented(
        isPortrait ? .portrait : .landscape)
      if fillsUp { quality.encoder.filler = true }
      try quality.validate()
      return quality
    } catch let error as QualityFileError {
      throw CommandError(ExitCode(error), "--quality: \(error)")
    } catch {
      throw CommandError(.usage, "--quality: \(error)")
    }
  }
}
