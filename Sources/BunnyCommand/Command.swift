import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Glibc
import Synchronization

/// The whole command: reads the command line, does it, and says how the process should exit.
package func runCommand() -> Int32 {
  ProcessSetup.fillStandardStreams()
  let arguments = Array(CommandLine.arguments.dropFirst())
  ProcessSetup.hideURLs()
  signal(SIGPIPE, SIG_IGN)  // a reader that has gone is an error to handle
  do {
    return try perform(Invocation(arguments), ProcessSetup.environment).rawValue
  } catch {
    complain(error.description)
    return error.code.rawValue
  }
}

private func perform(
  _ invocation: Invocation, _ environment: [String: String]
) throws(CommandError) -> ExitCode {
  switch invocation {
  case .publish(let options): return try publish(options, environment)
  case .streams(let options): try askAboutStreams(options, environment)
  case .inspect(let options): try inspectMedia(options)
  case .devices(let asJSON):
    let list = DeviceList.now()
    try printOut(asJSON ? list.json : list.text)
  case .presets(let asJSON): try printOut(asJSON ? PresetList.json : PresetList.text)
  case .encoders(let options): try printOut(try EncoderList.text(options))
  case .help(let subcommand): try printOut(Help.text(subcommand))
  case .version: try printOut("bunny-broadcast \(bunnyBroadcastVersion)\n")
  }
  return .ended
}

private func publish(
  _ options: PublishOptions, _ environment: [String: String]
) throws(CommandError) -> ExitCode {
  let fault = Fault(environment)
  if fault == .internal {
    throw CommandError(.fault, "\(BroadcastError.fault("\(Fault.variable) asked for a fault"))")
  }
  var warnings: [String] = []
  var options = options
  options.stateFolder = StateFolder.path(environment)
  let job = try Job(options, environment) { warnings.append($0) }
  SignalWatch.prepare()
  let attention = WakeEvent()
  let feed: EventFeed? =
    if options.writesEvents {
      try EventFeed(first: job.beginning, attention: attention)
    } else { nil }

  var style = ConsoleStyle(isTerminal: isatty(STDERR_FILENO) == 1, environment: environment)
  if options.writesEvents && isatty(STDOUT_FILENO) == 1 { style.redraws = false }  // events tear it
  let console = Console(
    LineWriter(to: STDERR_FILENO, name: "log"), style, level: options.logLevel)
  defer { console.finish() }
  listenToFFmpeg(console)
  for warning in warnings { console.log(.warning, warning) }
  return PublishRun(job, console, feed, fault, attention: attention).run()
}

private func listenToFFmpeg(_ console: Console) {
  let level: FFmpegLog.Level =
    switch console.level {
    case .error, .warning, .info: .off
    case .debug: .warnings
    case .trace: .all
    }
  FFmpegLog.send(level) { console.log(level == .all ? .trace : .debug, "ffmpeg: \($0)") }
}

/// One sentence on standard error, where no log is open yet.
func complain(_ sentence: String) {
  var line = "bunny-broadcast: \(ConsoleText.printable(sentence))\n"
  _ = line.withUTF8 { writeBytes($0, to: STDERR_FILENO) }
}
