package import Glibc

/// Another program that runs beside this one, and has to be reaped.
package struct StartedCommand: Sendable {
  package let processID: pid_t

  /// Starts `words[0]`, a path, with default signals and in a process group of its own, which Ctrl-C does
  /// not reach. It reads nothing; it writes to standard error, since our standard output is for what we
  /// say to programs.
  ///
  /// - Parameter environment: as in `NAME=value`; nil: our own.
  /// - Throws: ``StartFailure``.
  package init(_ words: [String], environment: [String]? = nil) throws(StartFailure) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let arguments = words.map { strdup($0) } + [nil]
    let variables = (environment ?? Self.ownEnvironment).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var started = pid_t()
    let code = posix_spawn(&started, words[0], &actions, &attributes, arguments, variables)
    guard code == 0 else { throw StartFailure(code: code) }
    processID = started
  }

  /// Our own, as in `NAME=value`.
  package static var ownEnvironment: [String] {
    var texts: [String] = []
    var next = environ
    while let text = next.pointee {
      texts.append(String(cString: text))
      next += 1
    }
    return texts
  }

  /// Waits for its end, and reaps it.
  ///
  /// - Returns: how it ended, as `waitpid` has it: 0 when well.
  @discardableResult
  package func waitForEnd() -> Int32 {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
    return status
  }
}

/// Why a program could not be started.
package struct StartFailure: Error, Sendable {
  package let code: Int32

  /// The system's words.
  package var reason: String { systemWords(code) }
}
