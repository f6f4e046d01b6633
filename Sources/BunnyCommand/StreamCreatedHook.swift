import BunnySystem

/// A command of the user's that is told of a stream that was made.
struct StreamCreatedHook: Sendable {
  private let command: String
  private let variables: [String]

  init(_ command: String, id: String, title: String) {
    self.command = command
    // A title with a NUL ends there.
    variables = ["BUNNY_STREAM_ID=\(id)", "BUNNY_STREAM_TITLE=\(title)"]
  }

  /// Runs it, and returns at once: it may take as long as it likes, and outlives the broadcast.
  ///
  /// - Parameter warn: told, from a thread, when it fails.
  func run(warn: @escaping @Sendable (String) -> Void) {
    startThread("hook") {
      let status: Int32
      do throws(StartFailure) {
        status = try StartedCommand(["/bin/sh", "-c", command], environment: environment)
          .waitForEnd()
      } catch {
        return warn("--on-stream-created cannot be run: \(error.reason)")
      }
      let (exit, signal) = (status >> 8 & 0xFF, status & 0x7F)
      if signal != 0 {
        warn("--on-stream-created was ended by signal \(signal)")
      } else if exit != 0 {
        warn("--on-stream-created ended with exit code \(exit)")
      }
    }
  }

  /// Without our own variables: the access key is nobody else's.
  private var environment: [String] {
    StartedCommand.ownEnvironment.filter { !$0.hasPrefix("BUNNY_") } + variables
  }
}
