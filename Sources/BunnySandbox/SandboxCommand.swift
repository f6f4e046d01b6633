import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Foundation

/// The whole command: reads the command line, serves until told to end, and says how to exit.
package func runSandbox() -> Int32 {
  let signals = blockSignals()
  do throws(SandboxError) {
    let options = try SandboxOptions(Array(CommandLine.arguments.dropFirst()))
    if options.showsHelp {
      print(Option.helpText, terminator: "")
      return 0
    }
    FFmpegLog.send(.off) { _ in }  // what goes wrong there is told by what it leads to
    let sandbox = try Sandbox(options) { report($0) }
    let ending = WakeEvent()
    watch(signals, ending, input: options.endsWithInput)
    // In one write, at once: whoever waits for it reads a pipe.
    FileHandle.standardOutput.write(Data((sandbox.description.line + "\n").utf8))
    report(
      "watch at http://127.0.0.1:\(sandbox.port)/watch or with: ffplay \(sandbox.facts.hlsUrl)")
    ending.wait(until: .distantFuture)
    sandbox.end()
    return 0
  } catch {
    report(error.description)
    return error.exitCode
  }
}

/// A line of the log, on standard error.
private func report(_ sentence: String) {
  var line = "bunny-sandbox: \(sentence)\n"
  _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Keeps the ending signals for a thread that waits for them. Before other threads are started, for
/// they inherit it.
private func blockSignals() -> sigset_t {
  signal(SIGPIPE, SIG_IGN)
  var set = unignoredSignals([SIGINT, SIGTERM, SIGHUP])
  pthread_sigmask(SIG_BLOCK, &set, nil)
  return set
}

private func watch(_ signals: sigset_t, _ ending: WakeEvent, input: Bool) {
  startThread("signals") {
    var signals = signals
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
    ending.signal()
  }
  guard input else { return }
  startThread("input") {
    var space = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(STDIN_FILENO, &space, space.count)
      if count == 0 || (count < 0 && errno != EINTR) { break }
    }
    ending.signal()
  }
}
