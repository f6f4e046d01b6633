import Foundation

/// - Returns: Whether every goal is held.
func bench(_ options: BenchOptions) async throws -> Bool {
  if let trials = options.trials { return try await FailoverBench(trials: trials).run() }
  for course in Course.all { try await course.prepare() }
  var isHeld = true
  func show(_ name: String, _ rows: [Row]) {
    let text = table("\(name), medians of \(options.rounds)", rows)
    FileHandle.standardOutput.write(Data("\(text)\n\n".utf8))  // unbuffered, unlike print
    isHeld = isHeld && rows.allSatisfy { $0.isHeld != false }
  }
  show("watching 1080p30, of a core", try await WatchCost(rounds: options.rounds).rows())
  for course in Course.all { show(course.name, try await Comparison(course, options).rows()) }
  return isHeld
}

let arguments = Array(CommandLine.arguments.dropFirst())
let signals = Running.endWithSignals()
do {
  if let isHeld = try await NetworkBench.run(arguments) { exit(isHeld ? 0 : 1) }
  exit(try await bench(BenchOptions(arguments)) ? 0 : 1)
} catch let failure as BenchFailure {
  say(failure.sentence)
  exit(failure.status)
} catch {
  say("\(error)")
  exit(70)
}
