package import BunnyBroadcast
package import BunnyCapture
package import BunnyInspect
import BunnyMedia
package import BunnyRTMP
package import BunnyStreamAPI

/// What the process answers with, after sysexits.h.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case ended = 0
  case declined = 1
  case usage = 64
  case notMedia = 65
  case noInput = 66
  case noSuchStream = 67
  case unreachable = 69
  case fault = 70
  case cannotWrite = 73
  case apiUnreachable = 75
  case refused = 76
  case keyRefused = 77
  case settingMissing = 78
  case streamOver = 79
  case streamTaken = 80

  /// For the help and the README.
  package var meaning: String {
    switch self {
    case .ended: "ended as asked"
    case .declined: "the answer to a question was no"
    case .usage: "usage, or a value that cannot be"
    case .notMedia: "input that is no media"
    case .noInput: "input not found, unreadable, or not usable yet"
    case .noSuchStream: "no such stream or library"
    case .unreachable: "ingest unreachable or lost"
    case .fault: "a fault of bunny-broadcast's own"
    case .cannotWrite: "output cannot be written"
    case .apiUnreachable: "Bunny's API unreachable, failing, or not to be understood"
    case .refused: "the API or the ingest refused, or the ingest is not to be trusted"
    case .keyRefused: "the stream key or the access key was refused"
    case .settingMissing: "a setting is missing"
    case .streamOver: "the stream has ended"
    case .streamTaken: "somebody else broadcasts to the stream"
    }
  }
}

extension ExitCode {
  package init(_ error: BroadcastError) {
    switch error {
    case .source(let error): self.init(error)
    case .encoder(let failure) where failure.isMissingEncoder: self = .fault
    case .encoder: self = .usage  // settings come from the quality file
    case .ingest(let error): self.init(error.category)
    case .api(let error): self.init(error.kind)
    case .streamOver, .streamDeleted: self = .streamOver
    case .streamTaken, .streamHeld: self = .streamTaken
    case .undone(_, _, let error): self.init(error.kind)
    case .fault: self = .fault
    }
  }

  package init(_ kind: BunnyLiveStreamError.Kind) {
    switch kind {
    case .unauthorized: self = .keyRefused
    case .notFound: self = .noSuchStream
    case .invalidRequest, .unprocessable: self = .refused
    // A captive portal's page is no answer, and a key may be missing for a moment.
    case .server, .transport, .unexpected, .invalidResponse: self = .apiUnreachable
    }
  }

  package init(_ error: SourceError) {
    switch error {
    case .missing, .unreadable, .libraryMissing, .lost, .microphone: self = .noInput
    case .notMedia: self = .notMedia
    case .unknownFormat: self = .usage
    case .camera(_, let problem): self = problem.isUsage ? .usage : .noInput
    case .pipe(_, let problem): self = problem.isUsage ? .usage : .noInput
    }
  }

  package init(_ category: RTMPError.Category) {
    switch category {
    case .unreachable, .lost: self = .unreachable
    case .refused, .protocolViolation, .untrusted: self = .refused
    case .keyRefused: self = .keyRefused
    case .unsendable: self = .usage  // the bit rate comes from the quality file, trust from a file
    }
  }

  package init(_ error: InspectError) {
    switch error {
    case .missing, .unreadable: self = .noInput
    case .notMedia: self = .notMedia
    }
  }

  package init(_ error: QualityFileError) {
    switch error {
    case .unknownName, .malformed, .field: self = .usage
    case .missing, .unreadable: self = .noInput
    }
  }
}

/// What ends the command before, or instead of, what was asked: one sentence and an exit code.
package struct CommandError: Error, Equatable, Sendable, CustomStringConvertible {
  package let code: ExitCode
  /// For the person at the keyboard. Holds no secret.
  package let description: String

  package init(_ code: ExitCode, _ description: String) {
    self.code = code
    self.description = description
  }
}
