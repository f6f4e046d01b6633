import BunnySystem
import Glibc

/// A command of the user's that is told of a stream that was made.
struct StreamCreatedHook: Sendable {
  private let command: String
  private let variables: [String]

  init(_ command: String, id: String, title: String) {
    self.command = command
    // A title with a NUL ends there.
    variables = ["BUNNY_STREAM_ID=\(id)", "BUNNY_STREAM_TITLE=\(title)"]
  }

  /// Runs it, and returns at once: it may take as long as it likes, and outlives the broadcast.
  ///
  /// - Parameter warn: told, from a thread, when it fails.
  func run(warn: @escaping @Sendable (String) -> Void) {
    startThread("hook") {
      let (process, code) = spawn()
      guard code == 0 else {
        return warn("--on-stream-created cannot be run: \(systemWords(code))")
      }
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 && errno == EINTR {}
      let (exit, signal) = (status >> 8 & 0xFF, status & 0x7F)
      if signal != 0 {
        warn("--on-stream-created was ended by signal \(signal)")
      } else if exit != 0 {
        warn("--on-stream-created ended with exit code \(exit)")
      }
    }
  }

  /// In a process group of its own, which Ctrl-C does not reach; it writes to standard error, since
  /// standard output may be events.
  private func spawn() -> (process: pid_t, code: Int32) {
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
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    let words: [String] = ["/bin/sh", "-c", command]
    let arguments = words.map { strdup($0) } + [nil]
    let environment = (inherited + variables).map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process = pid_t()
    let code = posix_spawn(
      &process, "/bin/sh", &actions, &attributes, arguments, environment)
    return (process, code)
  }

  /// Without our own variables: the access key is nobody else's.
  private var inherited: [String] {
    var texts: [String] = []
    var next = environ
    while let text = next.pointee {
      texts.append(String(cString: text))
      next += 1
    }
    return texts.filter { !$0.hasPrefix("BUNNY_") }
  }
}
