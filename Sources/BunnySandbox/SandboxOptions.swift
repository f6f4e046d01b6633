import BunnyBroadcast
import BunnySystem

/// What the command line asks for, as a value.
package struct SandboxOptions: Equatable, Sendable {
  /// nil: any free one.
  package var port: UInt16?
  package var primaryPort: UInt16?
  package var backupPort: UInt16?
  /// Nanoseconds that media flows before the stream may be started.
  package var readyAfter: Int64 = .seconds(1)
  /// Nanoseconds for which the API keeps the stream key back.
  package var keyAfter: Int64 = 0
  /// Where the HLS recording stays; nil: it goes with the sandbox.
  package var keep: String?
  package var title = "bunny-sandbox"
  /// How the API fails from the beginning on.
  package var fault: Fault.Kind?
  package var endsWithInput = false
  package var showsHelp = false

  package init() {}

  /// - Parameter arguments: without the program's own name.
  package init(_ arguments: [String]) throws(SandboxError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let name = String(argument.prefix { $0 != "=" })
      guard let option = Option(rawValue: name == "-h" ? "--help" : name) else {
        let hint = didYouMean(name, among: Option.allCases.map(\.rawValue))
        throw .usage(
          "\(name) is no option" + (hint.isEmpty ? "; `bunny-sandbox --help` lists them" : hint))
      }
      let attached = argument.count > name.count ? String(argument.dropFirst(name.count + 1)) : nil
      try take(option, attached, &rest)
    }
    let ports = [port, primaryPort, backupPort].compactMap(\.self)
    guard Set(ports).count == ports.count else {
      throw .usage("two of the ports are the same; each needs one of its own")
    }
  }

  private mutating func take(
    _ option: Option, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(SandboxError) {
    guard let placeholder = option.placeholder else {
      guard attached == nil else { throw .usage("\(option.rawValue) takes no value") }
      if option == .help { showsHelp = true } else { endsWithInput = true }
      return
    }
    guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
      throw .usage(
        "\(option.rawValue) needs a value; write \(option.rawValue) \(placeholder)")
    }
    switch option {
    case .port: port = try Self.port(value, option)
    case .primaryPort: primaryPort = try Self.port(value, option)
    case .backupPort: backupPort = try Self.port(value, option)
    case .readyAfter: readyAfter = try Self.seconds(value, option)
    case .keyAfter: keyAfter = try Self.seconds(value, option)
    case .keep: keep = value
    case .title: title = value
    case .fault: fault = try Self.fault(value, option)
    case .untilEOF, .help: break
    }
  }

  private static func fault(_ text: String, _ option: Option) throws(SandboxError) -> Fault.Kind {
    guard let kind = Fault.Kind(rawValue: text) else {
      throw .usage(
        "\(option.rawValue) is \(text); it takes "
          + Fault.Kind.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return kind
  }

  private static func port(_ text: String, _ option: Option) throws(SandboxError) -> UInt16 {
    guard let port = UInt16(text), port > 0 else {
      throw .usage("\(option.rawValue) is \(text); it takes a port, 1 to 65535")
    }
    return port
  }

  private static func seconds(_ text: String, _ option: Option) throws(SandboxError) -> Int64 {
    guard let seconds = Double(text), (0...86_400).contains(seconds) else {
      throw .usage("\(option.rawValue) is \(text); it takes seconds, 0 to 86400")
    }
    return .seconds(seconds)
  }
}

/// The options by name, in the help's order.
enum Option: String, CaseIterable {
  case port = "--port"
  case primaryPort = "--primary-port"
  case backupPort = "--backup-port"
  case readyAfter = "--ready-after"
  case keyAfter = "--key-after"
  case keep = "--keep"
  case title = "--title"
  case fault = "--fault"
  case untilEOF = "--until-eof"
  case help = "--help"

  /// nil: it takes no value.
  var placeholder: String? {
    switch self {
    case .port, .primaryPort, .backupPort: "PORT"
    case .readyAfter, .keyAfter: "SECONDS"
    case .keep: "FOLDER"
    case .title: "TEXT"
    case .fault: "KIND"
    case .untilEOF, .help: nil
    }
  }

  private var explanation: [String] {
    switch self {
    case .port: ["serve HTTP on this port (default: a free one)"]
    case .primaryPort: ["the primary ingest's port (default: a free one)"]
    case .backupPort: ["the backup ingest's port (default: a free one)"]
    case .readyAfter: ["media flows this long before the stream may", "be started (default: 1)"]
    case .keyAfter: ["the API keeps the stream key back this long", "(default: 0)"]
    case .keep:
      ["record the viewer's HLS here and leave it", "(an old recording there is replaced)"]
    case .title: ["the stream's title (default: bunny-sandbox)"]
    case .fault: ["the API fails from the beginning on; see below"]
    case .untilEOF: ["end when standard input does, as it does when", "the parent dies"]
    case .help: ["show this"]
    }
  }

  static let helpText = """
    bunny-sandbox: a stand-in for Bunny Stream on this machine.

    Usage: bunny-sandbox [OPTION]...

    Serves the REST API of live streams over two real nginx-rtmp ingests, and the
    HLS that viewers of the first one would see, all on 127.0.0.1. Prints one line
    of JSON when everything is ready; logs on standard error. SIGINT or SIGTERM
    ends it.

    Options:
    \(allCases.map(\.paragraph).joined())
    For tests, by HTTP, without a key:
      GET  /sandbox/calls             what was asked, with times and answers;
                                      with ?after=N once there are more than N,
                                      or after a second
      GET  /sandbox/state             what the page shows
      POST /sandbox/fault?seconds=N   answers 503; with &kind= 401, 404, 422, 500,
                                      hangup, hang, slow (3 s more), garbage, or
                                      no-flags, false-flags in the ingest status;
                                      &calls=get,start: these calls only
      POST /sandbox/status?value=N    puts the stream into Bunny's status N
      POST /sandbox/end               the stream is ended from outside
      POST /sandbox/regenerate-key    it has another key
      POST /sandbox/restart/primary   starts a killed ingest again; or /backup

    Exit codes: 0 ended as asked, 64 usage, 69 a port or nginx is not there,
    71 a child could not be started, 73 the folder cannot be written.

    """

  private var paragraph: String {
    let head = "  \(rawValue)\(placeholder.map { " \($0)" } ?? "")"
    let indent = String(repeating: " ", count: 26)
    let lines = explanation.enumerated().map { $0 == 0 ? $1 : indent + $1 }
    return head + String(repeating: " ", count: max(1, 26 - head.count))
      + lines.joined(separator: "\n") + "\n"
  }
}
