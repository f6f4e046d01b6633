package import BunnyBroadcast
import BunnySystem
import Synchronization

/// A stand-in for Bunny on this machine: its REST API over two real ingests, and the HLS that a
/// viewer would see.
package final class Sandbox: Sendable {
  /// How to reach it.
  package let facts: StreamFacts
  package let port: UInt16
  /// The folder of the HLS recording.
  package let recording: String

  private let viewer: Viewer
  private let work: WorkFolder
  private let http: HTTPServer
  private let servers: [IngestServer]
  private let switchboard = Switchboard()

  /// Starts everything; all of it works when this returns.
  package init(
    _ options: SandboxOptions, log: @escaping @Sendable (String) -> Void
  ) throws(SandboxError) {
    try Nginx.look()
    work = try WorkFolder()
    recording = if let folder = options.keep { absolute(folder) } else { try work.folder("hls") }
    try makeFolder(recording)
    try removeOldRecording(in: recording)

    http = try HTTPServer(port: options.port ?? 0) { [switchboard] in switchboard.answer($0) }
    port = http.port
    let address = "http://127.0.0.1:\(port)"

    let ports = (
      primary: try freePort(options.primaryPort, for: .primary),
      backup: try freePort(options.backupPort, for: .backup)
    )
    var facts = StreamFacts()
    facts.title = options.title
    facts.primaryIngestUrl = "rtmp://127.0.0.1:\(ports.primary)/live"
    facts.backupIngestUrl = "rtmp://127.0.0.1:\(ports.backup)/live"
    facts.hlsUrl = "\(address)/live/\(facts.streamId)/\(HLSRecording.playlistName)"
    self.facts = facts

    let viewer = Viewer(folder: recording, log: log)
    self.viewer = viewer
    let stream = LiveStream(
      facts, readyAfter: options.readyAfter, keyAfter: options.keyAfter, viewer: viewer, log: log)
    var servers: [IngestServer] = []
    for (name, port) in [(IngestName.primary, ports.primary), (.backup, ports.backup)] {
      let folder = try work.folder(name.rawValue)
      servers.append(
        IngestServer(
          name, port: port, folder: folder, hooks: "\(address)/ingest/\(name.rawValue)",
          key: { stream.facts.streamKey }, listener: stream))
    }
    self.servers = servers
    switchboard.connect(
      stream, servers,
      Playback(
        folder: recording, viewer: viewer,
        page: Page.html(title: facts.title, hlsUrl: facts.hlsUrl),
        ownPicture: { [switchboard] in switchboard.picture($0, $1) }),
      port: port, fault: options.fault.map { Fault($0, seconds: 86_400, at: .now) } ?? Fault())
    do throws(SandboxError) {
      for server in servers { try server.start() }
    } catch {
      for server in servers { server.end() }
      throw error
    }
  }

  /// Ends what it started, finishes the recording and removes what it does not keep.
  package func end() {
    for server in servers { server.end() }
    switchboard.end()
    http.stop()
    viewer.close()
    work.remove()
  }

  /// Everything that a client needs, to be written on one line.
  package var description: JSONValue {
    .object([
      .init("apiUrl", .string("http://127.0.0.1:\(port)")),
      .init("accessKey", .string(facts.accessKey)),
      .init("libraryId", .integer(facts.libraryId)), .init("streamId", .string(facts.streamId)),
      .init("streamKey", .string(facts.streamKey)),
      .init("primaryIngestUrl", .string(facts.primaryIngestUrl)),
      .init("backupIngestUrl", .string(facts.backupIngestUrl)),
      .init("hlsUrl", .string(facts.hlsUrl)),
      .init("pageUrl", .string("http://127.0.0.1:\(port)/watch")),
      .init("recording", .string("\(recording)/\(HLSRecording.playlistName)")),
      .init("primaryPid", processID(.primary)), .init("backupPid", processID(.backup)),
    ])
  }

  private func processID(_ name: IngestName) -> JSONValue {
    servers.first { $0.name == name }?.processID.map { .integer($0) } ?? .null
  }
}
