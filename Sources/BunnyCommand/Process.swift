import BunnyBroadcast
import Glibc

/// What is the process's own, set right at its beginning.
package enum ProcessSetup {
  /// Keeps a closed standard stream's number from going to the next file that is opened. Reading
  /// from or writing to the stand-in fails as it did before.
  static func fillStandardStreams() {
    for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (2, O_RDONLY)]
    where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", mode)  // takes the lowest free number, which is this one
    }
  }

  /// Blackens user, password and what follows the host in every URL on this process's command line,
  /// which all users of the machine may read. Read the arguments before.
  static func hideURLs() {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      hideURL(UnsafeMutableBufferPointer(start: argument, count: strlen(argument)))
    }
  }

  package static func hideURL(_ text: UnsafeMutableBufferPointer<CChar>) {
    let slash = CChar(UInt8(ascii: "/"))
    let slashes = text.indices.filter { text[$0] == slash }
    guard slashes.count > 2, slashes[1] == slashes[0] + 1, slashes[0] > 0,
      text[slashes[0] - 1] == CChar(UInt8(ascii: ":"))
    else { return }
    let authority = (slashes[1] + 1)..<slashes[2]
    let user = authority.last { text[$0] == CChar(UInt8(ascii: "@")) } ?? authority.lowerBound
    for index in [authority.lowerBound..<user, (slashes[2] + 1)..<text.count].joined() {
      text[index] = CChar(UInt8(ascii: "x"))
    }
  }

  static var environment: [String: String] {
    var variables: [String: String] = [:]
    let others = ["TERM", "NO_COLOR", Fault.variable] + StateFolder.names
    for name in others + LiveEnvironment.names {
      variables[name] = getenv(name).map { String(cString: $0) }
    }
    return variables
  }
}

/// A fault on request, so that tests can see what a crash leaves behind. Not in the help.
///
/// `BUNNY_BROADCAST_FAULT=trap` traps once an ingest has accepted the stream;
/// `BUNNY_BROADCAST_FAULT=internal` ends with exit code 70 before anything is opened.
enum Fault: String {
  case trap, `internal`

  static let variable = "BUNNY_BROADCAST_FAULT"

  init?(_ environment: [String: String]) {
    self.init(rawValue: environment[Self.variable] ?? "")
  }

  /// A real trap of Swift's, not a signal we send.
  static func trap() -> Never {
    let nothing: [Int] = []
    fatalError("\(nothing[Int(getpid())])")
  }
}
