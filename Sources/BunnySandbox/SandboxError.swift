/// Why the sandbox cannot begin: a sentence, and the exit code after sysexits.h.
package enum SandboxError: Error, Equatable, Sendable, CustomStringConvertible {
  case usage(String)
  case portTaken(_ what: String, UInt16, _ option: String)
  case noNginx(missing: String)
  case cannotStart(_ command: String, reason: String)
  case cannotWrite(_ path: String, reason: String)

  package var description: String {
    switch self {
    case .usage(let sentence): sentence
    case .portTaken(let what, let port, let option):
      "port \(port) of 127.0.0.1 cannot be served (\(what)): another program may have it; choose "
        + "another \(option), or leave it out for a free one"
    case .noNginx(let missing):
      "\(missing) is not there; `scripts/setup --test` installs nginx with its RTMP module"
    case .cannotStart(let command, let reason):
      "\(command) could not be started: \(reason); its own words are above, if it had any"
    case .cannotWrite(let path, let reason):
      "\(path) cannot be written: \(reason); choose another folder"
    }
  }

  package var exitCode: Int32 {
    switch self {
    case .usage: 64
    case .portTaken, .noNginx: 69
    case .cannotStart: 71
    case .cannotWrite: 73
    }
  }
}
