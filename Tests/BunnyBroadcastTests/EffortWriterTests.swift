import BunnyBroadcast
import BunnyMedia
import BunnySystem
import Support
import Testing

@Suite struct EffortWriterTests {
  private let begun = Watched<[EncoderEffort]>([])
  private let isOpen = Watched(false)

  /// Each waits until the card takes it.
  private func writer() -> EffortWriter {
    EffortWriter { [begun, isOpen] effort in
      begun.change { $0.append(effort) }
      _ = isOpen.wait(atMost: 30) { $0 }
    }
  }

  @Test func `while one is written the newest waits, and is the last one`() async throws {
    let writer = writer()
    writer.remember(.light)
    try await begun.reach("the first one") { $0 == [.light] }
    writer.remember(.good)
    writer.remember(.best)
    writer.remember(.better)
    let isWritten = writer.finish(within: 0)
    #expect(!isWritten && begun.current == [.light])
    isOpen.change { $0 = true }
    let isWrittenNow = writer.finish(within: .seconds(30))
    #expect(isWrittenNow && begun.current == [.light, .better])
  }

  @Test func `after a rest it writes again, and the end waits for it`() {
    isOpen.change { $0 = true }
    let writer = writer()
    for effort in [EncoderEffort.light, .good, .light] {
      writer.remember(effort)
      let isWritten = writer.finish(within: .seconds(30))
      #expect(isWritten)
    }
    #expect(begun.current == [.light, .good, .light])
    let isIdle = self.writer().finish(within: 0)
    #expect(isIdle)
  }
}
