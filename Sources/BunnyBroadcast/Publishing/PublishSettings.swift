import BunnyRTMP
import BunnySystem

extension Failover.Rules {
  init(_ configuration: BroadcastConfiguration, ingests: Int) {
    self.init()
    self.ingests = ingests
    keepsStandby = configuration.redundancy == .failover
    prefersPrimary = configuration.prefersPrimary
    stallLimit = .seconds(configuration.stallLimit)
  }
}

extension Failover.Failure {
  init(_ error: RTMPError) {
    switch error.reason {
    case .nameInUse: self = .nameInUse
    case .unknownHost, .unreachable, .timedOut(.resolving, _), .timedOut(.connecting, _):
      self = .unanswered
    default:
      self = error.isRetryable ? .passing : .lasting
    }
  }
}

extension RTMPConnection.Options {
  init(_ configuration: BroadcastConfiguration) {
    self.init()
    timestampBase = configuration.timestampBase
    tls = configuration.tlsTrust
    stallLimit = configuration.stallLimit
  }
}

extension Duration {
  /// Rounded down.
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
