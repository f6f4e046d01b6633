import CBunnyFFmpeg
import Synchronization

/// FFmpeg's own log. It is the process's, not a broadcast's: only an executable may set it.
package enum FFmpegLog {
  package enum Level: Sendable {
    case off, warnings, all
  }

  private struct Target: Sendable {
    var level = Level.off
    var receive: (@Sendable (String) -> Void)?
    var line = ""  // FFmpeg writes some lines in pieces
  }
  private static let target = Mutex(Target())

  /// Sends FFmpeg's lines to `receive`, which may be called from any thread and must not wait.
  package static func send(_ level: Level, to receive: @escaping @Sendable (String) -> Void) {
    target.withLock { $0 = Target(level: level, receive: receive) }
    av_log_set_level(level.number)
    av_log_set_callback { context, level, format, arguments in
      guard let format, let arguments, level <= av_log_get_level() else { return }
      var piece = [CChar](repeating: 0, count: 1024)
      var printsPrefix: Int32 = 1
      av_log_format_line2(
        context, level, format, arguments, &piece, Int32(piece.count), &printsPrefix)
      FFmpegLog.take(piece.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    }
  }

  private static func take(_ piece: String) {
    let (lines, receive) = target.withLock { target -> ([String], (@Sendable (String) -> Void)?) in
      var lines = (target.line + piece).split(separator: "\n", omittingEmptySubsequences: false)
      target.line = String(lines.removeLast().suffix(4096))
      return (lines.filter { !$0.isEmpty }.map(String.init), target.receive)
    }
    for line in lines { receive?(line) }
  }
}

extension FFmpegLog.Level {
  fileprivate var number: Int32 {
    switch self {
    case .off: AV_LOG_QUIET
    case .warnings: AV_LOG_WARNING
    case .all: AV_LOG_VERBOSE
    }
  }
}
