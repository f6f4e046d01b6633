import BunnyRTMP

/// Which RTMP servers `publish` publishes to. Nothing is read yet.
package struct IngestOptions: Equatable, Sendable {
  package var to: PublishURL
  package var backup: PublishURL?
  /// `-` is standard input.
  package var keyFile: String?

  package init(to: PublishURL) { self.to = to }

  init(_ arguments: Arguments) throws(CommandError) {
    guard let url = arguments.value("--to") else {
      throw CommandError(.usage, "--to is missing; write --to rtmp://HOST/APP/KEY")
    }
    to = PublishURL(url)
    backup = arguments.value("--backup").map { PublishURL($0) }
    keyFile = arguments.value("--key-file")
    _ = try ingests(key: keyFile == nil ? nil : "key")  // any will do to check the rest
  }

  /// Reads the key file, if there is one, and puts the ingests together.
  ///
  /// - Parameter warn: told what is odd, and no reason to stop.
  func ingests(
    warn: (String) -> Void
  ) throws(CommandError) -> (primary: Ingest, backup: Ingest?) {
    let key: String? =
      if let keyFile { try KeyFile.read(keyFile, warn: warn) } else { nil }
    return try ingests(key: key)
  }

  private func ingests(
    key: String?
  ) throws(CommandError) -> (primary: Ingest, backup: Ingest?) {
    let primary = try to.ingest("--to", streamName: key)
    let other = try backup?.ingest("--backup", streamName: key)
    if other == primary {
      throw CommandError(
        .usage,
        "--backup is the same as --to; name another ingest, or leave it out: the one is tried again "
          + "anyway")
    }
    return (primary, other)
  }
}

/// A publish URL as it was given: with the stream key in it, so it prints as `•••`.
package struct PublishURL: Equatable, Sendable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
{
  private let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { StreamKey.hidden }
  package var debugDescription: String { StreamKey.hidden }
  package var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }

  func ingest(_ option: String, streamName: String?) throws(CommandError) -> Ingest {
    do {
      return try Ingest(text, streamName: streamName)
    } catch {
      throw CommandError(.usage, "\(option): \(error)")
    }
  }
}
