import BunnySystem
import Foundation

/// One nginx with its RTMP module, as a child that dies with the thread that started it.
struct Nginx: ~Copyable {
  static let command = "/usr/sbin/nginx"
  static let module = "/usr/lib/nginx/modules/ngx_rtmp_module.so"
  /// Starts the command so that the kernel kills it when its parent is gone, however that ended.
  static let leash = "/usr/bin/setpriv"

  private let command: StartedCommand

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
    do {
      command = try StartedCommand([
        Self.leash, "--pdeathsig", "KILL", Self.command, "-p", folder, "-c", file, "-e", "stderr",
      ])
    } catch {
      throw .cannotStart(Self.leash, reason: error.reason)
    }
  }

  var processID: pid_t { command.processID }

  /// Whether it has ended; it is reaped then and may not be asked again.
  func hasEnded() -> Bool {
    var status: Int32 = 0
    return waitpid(processID, &status, WNOHANG) == processID
  }

  /// Ends it at once, frozen or not, and waits for that.
  consuming func end() {
    kill(processID, SIGKILL)
    command.waitForEnd()
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
