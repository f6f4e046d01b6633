package import BunnyBroadcast
package import BunnyRTMP

extension PublishOptions {
  /// What the library is asked to do: reads the quality, key and certificate files, opens nothing else.
  ///
  /// - Parameter warn: told what is odd, and no reason to stop.
  package func configuration(
    warn: (String) -> Void
  ) throws(CommandError) -> BroadcastConfiguration {
    guard let to else {
      throw CommandError(.usage, "--to is missing; write --to rtmp://HOST/APP/KEY")
    }
    let key: String? =
      if let keyFile { try KeyFile.read(keyFile, warn: warn) } else { nil }
    var configuration = try media()(try to.ingest("--to", streamName: key), nil)
    configuration.backup = try backup?.ingest("--backup", streamName: key)
    if let backup = configuration.backup {
      warn("--backup \(backup) is not used yet: this version tries the same ingest again")
    }
    return configuration
  }

  /// All but the ingests: makes a configuration for those.
  package func media() throws(CommandError)
    -> @Sendable (_ primary: Ingest, _ backup: Ingest?) -> BroadcastConfiguration
  {
    let quality = try validQuality()
    let tlsTrust = try validTrust()
    return { [self] primary, backup in
      var configuration = BroadcastConfiguration(
        ingest: primary, video: video, audio: audio, quality: quality)
      configuration.backup = backup
      configuration.fill = fill
      configuration.retry = triesAgain ? .always : .never
      configuration.duration = duration
      configuration.isMuted = isMuted
      configuration.tlsTrust = tlsTrust
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
