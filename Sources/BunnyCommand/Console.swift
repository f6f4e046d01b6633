package import BunnyBroadcast
import Glibc
import Synchronization

/// The log and the status line, written to standard error. From any thread; never waits.
package final class Console: Sendable {
  package let level: LogLevel
  package let style: ConsoleStyle
  private let writer: LineWriter
  private let text: Mutex<ConsoleText>
  private let isSettled = Atomic(false)

  package init(_ writer: LineWriter, _ style: ConsoleStyle, level: LogLevel) {
    self.writer = writer
    self.style = style
    self.level = level
    text = Mutex(ConsoleText(style))
  }

  package func log(_ level: LogLevel, _ sentence: String) {
    guard level <= self.level else { return }
    text.withLock { writer.write($0.line(level, sentence, at: .now)) }
  }

  /// Shows a question, whatever the level.
  package func ask(_ question: String) {
    text.withLock { writer.write($0.line(.warning, question, at: .now)) }
  }

  package func draw(_ status: String) {
    text.withLock { text in
      guard !isSettled.load(ordering: .relaxed) else { return }
      if let redrawn = text.draw(status) { writer.write(redrawn) }
    }
  }

  package func clearStatus() {
    text.withLock { text in
      if let cleared = text.clear() { writer.write(cleared) }
    }
  }

  /// Takes the status line away and lets all be written, before the process is suspended.
  /// No status line is drawn until ``resume()``.
  package func settle() {
    text.withLock { _ in isSettled.store(true, ordering: .relaxed) }
    clearStatus()
    writer.drain(within: .milliseconds(200))
  }

  package func resume() { isSettled.store(false, ordering: .relaxed) }

  package func finish() {
    isSettled.store(true, ordering: .relaxed)
    clearStatus()
    writer.finish()
  }
}
