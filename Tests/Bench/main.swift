import BunnyMedia
import Foundation

/// - Returns: Whether every goal is held.
func bench(_ options: BenchOptions) async throws -> Bool {
  var results = Results()
  for topic in BenchOptions.Topic.allCases where options.topic.map({ $0 == topic }) ?? topic.isShort
  {
    switch topic {
    case .conversion: results.add(try await ConversionBench().table())
    case .watch: results.add(try await WatchCost(rounds: options.rounds).table())
    case .cost: try await CostBench(options: options).run(into: &results)
    case .quality: try await QualityBench(options: options).run(into: &results)
    case .growth: try await GrowthBench(options: options).run(into: &results)
    case .failover: try await FailoverBench(trials: options.trials).run(into: &results)
    case .api:
      try await APIBench(trials: options.trials, seconds: options.seconds).run(into: &results)
    case .network: try await NetworkBench(options: options).run(into: &results)
    }
  }
  if let path = options.json { try results.write(to: path) }
  if let folder = options.plots { try await Plot(folder: folder).draw(results) }
  return results.isHeld
}

let arguments = Array(CommandLine.arguments.dropFirst())
FFmpegLog.send(.off) { _ in }
let signals = Running.endWithSignals()
// What a user's own broadcasts remember of this machine is neither looked at nor changed.
setenv("XDG_STATE_HOME", "\(FileManager.default.currentDirectoryPath)/\(Course.folder)/state", 1)
do {
  if try Floor.run(arguments) { exit(0) }
  if try await PollingCost.run(arguments) { exit(0) }
  if try await NetworkTrace.run(arguments) { exit(0) }
  exit(try await bench(BenchOptions(arguments)) ? 0 : 1)
} catch let failure as BenchFailure {
  say(failure.sentence)
  exit(failure.status)
} catch {
  say("\(error)")
  exit(70)
}
