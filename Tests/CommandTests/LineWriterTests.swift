import BunnyCommand
import BunnySystem
import Foundation
import Testing

struct LineWriterTests {
  init() { signal(SIGPIPE, SIG_IGN) }  // as the command does

  /// A pipe that nobody reads, filled to the brim.
  private func fullPipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let flags = fcntl(ends[1], F_GETFL)
    _ = fcntl(ends[1], F_SETFL, flags | O_NONBLOCK)
    let filling = [UInt8](repeating: 0x2E, count: 4096)
    while write(ends[1], filling, filling.count) > 0 {}
    _ = fcntl(ends[1], F_SETFL, flags)
    return (ends[0], ends[1])
  }

  private func readAll(_ file: Int32) -> String {
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(file, &bytes, bytes.count), count > 0 {
      text += String(decoding: bytes[..<count], as: UTF8.self)
    }
    return text
  }

  @Test func `lines arrive in order, all of them`() {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let writer = LineWriter(to: ends[1], name: "test")
    for number in 1...200 { writer.write("\(number)\n") }
    writer.finish()
    close(ends[1])
    #expect(readAll(ends[0]) == (1...200).map { "\($0)\n" }.joined())
    #expect(writer.lost == 0)
    close(ends[0])
  }

  @Test func `a reader that stalls loses the oldest lines, and the count is known`() {
    let (reading, writing) = fullPipe()
    let writer = LineWriter(to: writing, name: "test", capacity: 4)
    for number in 1...50 { writer.write("\(number)\n") }
    let lost = writer.lost  // all but the four that wait and at most one that is being written
    #expect((45...46).contains(lost))
    startThread("reader") {
      writer.finish(within: .seconds(20))
      close(writing)
    }
    let text = readAll(reading).drop { $0 == "." }
    #expect(text.hasSuffix("47\n48\n49\n50\n"))
    #expect(text.split(separator: "\n").count == 50 - lost)
    close(reading)
  }

  @Test func `a line that counts what is lost counts what makes room for it`() {
    let (reading, writing) = fullPipe()
    let writer = LineWriter(to: writing, name: "test", capacity: 4)
    for number in 1...50 { writer.write("\(number)\n") }
    writer.write { "lost \($0)\n" }
    let lost = writer.lost
    startThread("reader") {
      writer.finish(within: .seconds(20))
      close(writing)
    }
    let text = readAll(reading).drop { $0 == "." }
    #expect(text.hasSuffix("48\n49\n50\nlost \(lost)\n"))
    #expect(text.split(separator: "\n").count == 51 - lost)
    close(reading)
  }

  @Test func `a stalled reader keeps nobody waiting at the end`() {
    let (reading, writing) = fullPipe()
    let writer = LineWriter(to: writing, name: "test")
    writer.write("x\n")
    let start = MonotonicTime.now
    writer.finish(within: .milliseconds(20))
    #expect(MonotonicTime.now - start < .seconds(10))
    close(reading)  // lets the writer's thread go
  }

  @Test func `a reader that has gone is told from a full disk`() throws {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    close(ends[0])
    let attention = WakeEvent()
    let gone = LineWriter(to: ends[1], name: "test", attention: attention)
    gone.write("x\n")
    #expect(attention.wait(until: .now + .seconds(20)))
    #expect(gone.failure == .readerGone)

    let full = open("/dev/full", O_WRONLY)
    let disk = LineWriter(to: full, name: "test", attention: attention)
    disk.write("x\n")
    disk.write("y\n")
    disk.finish(within: .seconds(20))
    #expect(disk.failure == .system(ENOSPC))
    #expect(disk.lost == 2)
    close(full)
    close(ends[1])
  }
}
