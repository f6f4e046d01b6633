public import BunnySystem
public import Foundation

/// A command that runs beside the test: its output line by line while it runs, and how it ended.
///
/// Ends with this object (SIGKILL) if it has not before.
public final class ChildProcess: Sendable {
  /// How a command ended, and what it cost.
  public struct Outcome: Sendable, CustomStringConvertible {
    /// The status it exited with; nil when a signal ended it.
    public let exitStatus: Int32?
    /// The signal that ended it; nil when it exited.
    public let signal: Int32?
    public let userSeconds: Double
    public let systemSeconds: Double
    /// The largest resident size, in bytes.
    public let peakMemory: Int
    public let endedAt: MonotonicTime
    public let standardOutput: String
    public let standardError: String

    public var description: String {
      let end = exitStatus.map { "exit \($0)" } ?? "signal \(signal ?? 0)"
      return "\(end); out: \(standardOutput.suffix(800)); err: \(standardError.suffix(1200))"
    }
  }

  public enum Stream: Sendable { case output, error }

  public let processID: pid_t
  public let startedAt: MonotonicTime
  private let state = Watched(ChildState())
  private let input: Int32  // a pipe or the terminal; -1: none
  private let folder: TemporaryDirectory?

  /// Starts `path` (looked for in PATH when it has no slash).
  ///
  /// - Parameters:
  ///   - environment: All of it; nil: the test's own.
  ///   - takesInput: Gives it a pipe to read, see ``write(_:)``; otherwise it reads `/dev/null`.
  ///   - folder: Lives as long as this.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    workingDirectory: String? = nil, takesInput: Bool = false,
    keeping folder: TemporaryDirectory? = nil
  ) throws {
    self.folder = folder
    var spawn = Spawn(path, arguments, environment: environment)
    let output = try spawn.readPipe(for: STDOUT_FILENO)
    let error = try spawn.readPipe(for: STDERR_FILENO)
    input = takesInput ? try spawn.writePipe(for: STDIN_FILENO) : -1
    startedAt = .now
    processID = try spawn.start(in: workingDirectory)
    watch(output, error)
  }

  /// Starts `path` on a terminal of its own: all that it shows there is ``standardOutput``, and
  /// ``write(_:)`` types.
  public init(
    onTerminalOf columns: UInt16, _ path: String, _ arguments: [String],
    environment: [String: String], workingDirectory: String? = nil,
    keeping folder: TemporaryDirectory? = nil
  ) throws {
    self.folder = folder
    let terminal = try PseudoTerminal(columns: columns)
    var spawn = Spawn(path, arguments, environment: environment)
    spawn.useTerminal(terminal.path)
    input = terminal.master
    startedAt = .now
    processID = try spawn.start(in: workingDirectory)
    watch(dup(input), nil)
  }

  /// How the terminal is set; of a child that has one.
  public var terminalModes: termios {
    var modes = termios()
    tcgetattr(input, &modes)
    return modes
  }

  private func watch(_ output: Int32, _ error: Int32?) {
    let (state, processID) = (state, processID)
    startThread("child-out") { Self.read(output, .output, into: state) }
    if let error {
      startThread("child-err") { Self.read(error, .error, into: state) }
    } else {
      state.change { $0.append([], to: .error) }
    }
    startThread("child-wait") { Self.reap(processID, into: state) }
  }

  deinit {
    send(SIGKILL)
    if input >= 0 { close(input) }
  }

  public var standardOutput: String { state.current.text(.output) }
  public var standardError: String { state.current.text(.error) }
  public var isRunning: Bool { state.current.usage == nil }

  /// Sends a signal, unless the process has ended.
  public func send(_ signal: Int32) {
    state.change { state in  // under the lock that the reaper takes: the pid is still ours
      if state.usage == nil { kill(processID, signal) }
    }
  }

  /// Writes to the command's standard input.
  public func write(_ text: String) {
    var bytes = Array(text.utf8)
    _ = Foundation.write(input, &bytes, bytes.count)
  }

  /// Waits for a whole line, one that is already there included.
  ///
  /// - Throws: ``WaitedInVain``, also when the output ends without it.
  public func waitForLine(
    in stream: Stream = .error, atMost seconds: Double = 30,
    where isMeant: @escaping @Sendable (String) -> Bool
  ) async throws -> String {
    let state = try await state.reach("a line", atMost: seconds) { state in
      state.isOver(stream) || state.lines(stream).contains(where: isMeant)
    }
    guard let line = state.lines(stream).first(where: isMeant) else {
      throw WaitedInVain(
        what: "a line, but the output ended", seconds: seconds, found: state.text(stream))
    }
    return line
  }

  /// Waits until the output satisfies `isReached`.
  public func waitForOutput(
    in stream: Stream, atMost seconds: Double = 30,
    until isReached: @escaping @Sendable (String) -> Bool
  ) async throws {
    try await state.reach("some output", atMost: seconds) { isReached($0.text(stream)) }
  }

  /// Waits for the end.
  public func outcome(atMost seconds: Double = 60) async throws -> Outcome {
    let state = try await state.reach("process \(processID) to end", atMost: seconds) { $0.isOver }
    guard let outcome = state.outcome else { throw WaitedInVain(what: "outcome", seconds: 0) }
    return outcome
  }

  /// Runs a command to its end.
  public static func run(
    _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    workingDirectory: String? = nil, atMost seconds: Double = 60
  ) async throws -> Outcome {
    let child = try ChildProcess(
      path, arguments, environment: environment, workingDirectory: workingDirectory)
    return try await child.outcome(atMost: seconds)
  }
}

// What runs on the child's three threads.
extension ChildProcess {
  private static func read(_ pipe: Int32, _ stream: Stream, into state: Watched<ChildState>) {
    defer { close(pipe) }
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Foundation.read(pipe, &space, space.count)
      if count < 0, errno == EINTR { continue }
      let bytes = space.prefix(max(0, count))
      state.change { $0.append(Array(bytes), to: stream) }
      if count <= 0 { return }
    }
  }

  private static func reap(_ processID: pid_t, into state: Watched<ChildState>) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    state.change { state in
      var status: Int32 = 0
      var usage = rusage()
      wait4(processID, &status, 0, &usage)
      state.end(status: status, usage: usage, at: .now)
    }
  }
}
