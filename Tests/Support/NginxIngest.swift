public import BunnyRTMP
import Foundation

/// A real nginx with its RTMP module, on a free port and in a directory of its own.
///
/// `live` takes any stream name; `keyed` only ``goodKey``, hanging up on others like every nginx-rtmp
/// whose `on_publish` says no; `hls` makes HLS of it, in segments of a second. All record what is published.
public final class NginxIngest: Sendable {
  public static let command = "/usr/sbin/nginx"
  public static let module = "/usr/lib/nginx/modules/ngx_rtmp_module.so"
  /// The one stream name that `keyed` takes.
  public static let goodKey = "the-right-key"

  /// Whether this machine has what it takes.
  public static var isAvailable: Bool {
    [command, module].allSatisfy(FileManager.default.fileExists(atPath:))
  }

  public let host: String
  public let port: UInt16
  private let directory: TemporaryDirectory
  private let nginx: ChildProcess

  /// Starts nginx on 127.0.0.1 and waits until it listens.
  ///
  /// - Parameter port: nil takes a free one.
  public convenience init(port: UInt16? = nil) async throws {
    try await self.init(on: "127.0.0.1", port: port, in: nil)
  }

  /// Starts nginx at one of the far ends of a line and waits until it listens.
  public convenience init(at far: Line.Far, of line: Line, port: UInt16? = nil) async throws {
    try await self.init(on: far.address, port: port, in: line.far)
  }

  private init(on host: String, port: UInt16?, in network: NetworkNamespace?) async throws {
    self.host = host
    directory = try TemporaryDirectory()
    self.port = port ?? FreePort.next()
    let httpPort = FreePort.next()
    for folder in ["logs", "recordings", "temp", "hls"] {
      try FileManager.default.createDirectory(
        atPath: directory.file(folder), withIntermediateDirectories: false)
    }
    let configuration = Self.configuration(
      directory: directory.path, listen: "\(host):\(self.port)", httpPort: httpPort)
    try configuration.write(
      toFile: directory.file("nginx.conf"), atomically: false, encoding: .utf8)
    let arguments = ["-p", directory.path, "-c", directory.file("nginx.conf"), "-e", "stderr"]
    nginx =
      try network?.entered { try ChildProcess(Self.command, arguments) }
      ?? ChildProcess(Self.command, arguments)
    try await FreePort.waitUntilListening(self.port, nginx, in: network)
    try await FreePort.waitUntilListening(httpPort, nginx, in: network)
  }

  /// The publish URL of a stream.
  public func url(app: String = "live", key: String = "key") -> String {
    "rtmp://\(host):\(port)/\(app)/\(key)"
  }

  public func ingest(app: String = "live", key: String = "key") throws -> Ingest {
    try Ingest(url(app: app, key: key))
  }

  /// Kills it at once, as a machine that fails would; or stops and continues it.
  public func send(_ signal: Int32) { nginx.send(signal) }

  /// What nginx wrote about itself: one line an HTTP callback, then its errors.
  public var log: String { nginx.standardOutput + nginx.standardError }

  /// Waits until `count` recordings are finished, that is, until their publishers have left.
  /// - Returns: The paths of all finished FLV files, oldest first.
  public func recordings(
    atLeast count: Int = 1, atMost seconds: Double = 30
  ) async throws -> [String] {
    try await nginx.waitForOutput(in: .output, atMost: seconds) {
      Self.finishedRecordings(in: $0).count >= count
    }
    return Self.finishedRecordings(in: nginx.standardOutput)
  }

  /// What `hls` has made of a stream whose recording is finished: the playlist, closed, and its segments.
  public func hls(key: String = "key") throws -> (playlist: String, segments: [String]) {
    let text = try String(contentsOfFile: directory.file("hls/\(key).m3u8"), encoding: .utf8)
    let playlist = directory.file("hls/\(key)-whole.m3u8")
    // A last segment of one frame has no length for nginx, which ffmpeg warns of.
    try (text.replacing("#EXTINF:0.000,", with: "#EXTINF:0.001,") + "#EXT-X-ENDLIST\n")
      .write(toFile: playlist, atomically: false, encoding: .utf8)
    let names = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    return (playlist, names.map { directory.file("hls/\($0)") })
  }

  /// How many recordings are finished by now.
  public var recordingCount: Int { Self.finishedRecordings(in: nginx.standardOutput).count }

  /// Ends nginx and waits for it.
  public func stop() async throws {
    nginx.send(SIGTERM)
    _ = try await nginx.outcome()
  }

  /// The paths in the lines that `on_record_done` left in the access log.
  private static func finishedRecordings(in log: String) -> [String] {
    log.split(separator: "\n").filter { $0.hasPrefix("/recorded?") }.compactMap { line in
      URLComponents(string: String(line))?.queryItems?.first { $0.name == "path" }?.value
    }
  }

  private static func configuration(directory: String, listen: String, httpPort: UInt16) -> String {
    func application(_ name: String, _ more: String = "") -> String {
      """
      application \(name) {
        live on;
        record all;
        record_path \(directory)/recordings;
        record_suffix -%s.flv;
        record_unique on;
        notify_method get;
        on_record_done http://127.0.0.1:\(httpPort)/recorded;
        \(more)
      }
      """
    }
    let hls = """
      hls on; hls_path \(directory)/hls; hls_fragment 1s; hls_playlist_length 1h; hls_cleanup off;
      """
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(directory)/temp/\($0);" }.joined(separator: "\n")
    return """
      load_module \(module);
      daemon off;
      master_process off;
      pid \(directory)/nginx.pid;
      error_log stderr warn;
      events { worker_connections 256; }
      rtmp { server {
        listen \(listen);
        \(application("live"))
        \(application("keyed", "on_publish http://127.0.0.1:\(httpPort)/publish;"))
        \(application("hls", hls))
      } }
      http {
        \(temporary)
        log_format callback "$request_uri";
        access_log /dev/stdout callback;
        server {
          listen 127.0.0.1:\(httpPort);
          location /publish { if ($arg_name != "\(goodKey)") { return 403; } return 200; }
          location / { return 200; }
        }
      }
      """
  }
}
