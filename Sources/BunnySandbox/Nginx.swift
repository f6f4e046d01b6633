import CBunnyShims
import Foundation

/// One nginx with its RTMP module, as a child that dies with the thread that started it.
struct Nginx: ~Copyable {
  static let command = "/usr/sbin/nginx"
  static let module = "/usr/lib/nginx/modules/ngx_rtmp_module.so"
  /// Starts the command so that the kernel kills it when its parent is gone, however that ended.
  static let leash = "/usr/bin/setpriv"

  let processID: pid_t

  /// Throws unless this machine has what it takes.
  static func look() throws(SandboxError) {
    for path in [command, module, leash] where access(path, R_OK) != 0 {
      throw .noNginx(missing: path)
    }
  }

  /// - Parameter folder: exists already and is this nginx's alone.
  init(folder: String, configuration: String) throws(SandboxError) {
    let file = "\(folder)/nginx.conf"
    do {
      try configuration.write(toFile: file, atomically: false, encoding: .utf8)
    } catch {
      throw .cannotWrite(file, reason: "no file could be made there")
    }
    processID = try spawn([
      Self.leash, "--pdeathsig", "KILL", Self.command, "-p", folder, "-c", file, "-e", "stderr",
    ])
  }

  /// Whether it has ended; it is reaped then and may not be asked again.
  func hasEnded() -> Bool {
    var status: Int32 = 0
    return waitpid(processID, &status, WNOHANG) == processID
  }

  /// Ends it at once, frozen or not, and waits for that.
  consuming func end() {
    kill(processID, SIGKILL)
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
  }

  /// - Parameters:
  ///   - port: where encoders publish to the application `live`.
  ///   - hooks: the address that nginx tells of publishers and players, without a slash at the end.
  static func configuration(folder: String, port: UInt16, hooks: String) -> String {
    """
    load_module \(module);
    daemon off;
    master_process off;
    pid \(quoted(folder + "/nginx.pid"));
    error_log stderr error;
    events { worker_connections 256; }
    rtmp {
      access_log off;
      out_queue 4096;
      server {
        listen 127.0.0.1:\(port);
        application live {
          live on;
          allow play 127.0.0.1;
          deny play all;
          notify_method get;
          on_publish \(hooks)/publish;
          on_publish_done \(hooks)/publish_done;
          on_play \(hooks)/play;
          on_play_done \(hooks)/play_done;
          on_update \(hooks)/update;
          notify_update_timeout 500ms;
          notify_relay_redirect off;
        }
      }
    }

    """
  }
}

/// As one word of nginx's configuration.
private func quoted(_ text: String) -> String {
  "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}

/// Starts a command in a process group of its own, with default signals; standard output, which is
/// the sandbox's to write, leads to standard error.
func spawn(_ words: [String]) throws(SandboxError) -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  var set = sigset_t()
  sigemptyset(&set)
  posix_spawnattr_setsigmask(&attributes, &set)
  sigfillset(&set)
  posix_spawnattr_setsigdefault(&attributes, &set)
  let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
  posix_spawnattr_setflags(&attributes, Int16(flags))
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
  let arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var processID = pid_t()
  let code = posix_spawn(&processID, words[0], &actions, &attributes, arguments, environ)
  guard code == 0 else {
    throw .cannotStart(words[0], reason: String(cString: strerror(code)))
  }
  return processID
}
