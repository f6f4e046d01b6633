import CBunnyShims
import Foundation

/// A `posix_spawn` being put together: descriptors, arguments, environment.
struct Spawn: ~Copyable {
  private let path: String
  private let arguments: [String]
  private let environment: [String: String]
  private var actions = posix_spawn_file_actions_t()
  private var attributes = posix_spawnattr_t()
  private var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
  private var childEnds: [Int32] = []  // closed here once the child has its copies

  init(_ path: String, _ arguments: [String], environment: [String: String]?) {
    self.path = path
    self.arguments = arguments
    self.environment = environment ?? ProcessInfo.processInfo.environment
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawnattr_init(&attributes)
    resetSignals()
  }

  deinit {
    var (actions, attributes) = (actions, attributes)
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
    for end in childEnds { close(end) }
  }

  /// A fresh mask and default dispositions: test runners ignore some signals.
  private mutating func resetSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var usual = sigset_t()
    sigemptyset(&usual)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGHUP] { sigaddset(&usual, signal) }
    posix_spawnattr_setsigdefault(&attributes, &usual)
  }

  /// Gives the child the terminal at `path` as its own: it leads a session, in the foreground.
  mutating func useTerminal(_ path: String) {
    flags |= 0x80  // POSIX_SPAWN_SETSID
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, path, O_RDWR, 0)
    }
  }

  /// Our end of a pipe that the child writes to as `descriptor`.
  mutating func readPipe(for descriptor: Int32) throws -> Int32 {
    let ends = try pipeEnds()
    posix_spawn_file_actions_adddup2(&actions, ends.write, descriptor)
    childEnds.append(ends.write)
    return ends.read
  }

  /// Our end of a pipe that the child reads from as `descriptor`.
  mutating func writePipe(for descriptor: Int32) throws -> Int32 {
    let ends = try pipeEnds()
    posix_spawn_file_actions_adddup2(&actions, ends.read, descriptor)
    childEnds.append(ends.read)
    return ends.write
  }

  private func pipeEnds() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard bunny_pipe(&ends) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return (ends[0], ends[1])
  }

  mutating func start(in directory: String?) throws -> pid_t {
    if let directory { _ = bunny_spawn_in_directory(&actions, directory) }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var processID = pid_t()
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    let code = posix_spawnp(&processID, path, &actions, &attributes, words, variables)
    guard code == 0 else { throw SpawnFailure(path: path, code: code) }
    return processID
  }
}

/// A command that could not be started.
public struct SpawnFailure: Error, CustomStringConvertible {
  public let path: String
  public let code: Int32
  public var description: String { "\(path) cannot be started: \(String(cString: strerror(code)))" }
}
