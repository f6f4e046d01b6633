import Foundation
import Testing

struct LiveModelTests {
  @Test func `whatever happens, in whatever order, a live broadcast keeps its word`() {
    var (counts, rare, failed): ([String: Int], [String: Int], Int) = ([:], [:], 0)
    for seed in 1...1500 {
      let model = LiveModel(seed: UInt64(seed))
      model.run(commands: 30)
      if let wrong = model.bunny.wrongs.first {
        Issue.record("seed \(seed): \(wrong) (and \(model.bunny.wrongs.count - 1) more)")
        if ProcessInfo.processInfo.environment["BUNNY_STORY"] != nil {
          print(model.bunny.story.joined(separator: "\n"))
        }
        failed += 1
        guard failed < 5 else { return }
      }
      for call in ["get", "status", "start", "stop", "create", "awaitingStart", "running"] {
        counts[call, default: 0] += model.bunny.count(call)
      }
      for words in LiveModel.rare { rare[words, default: 0] += model.bunny.count(words) }
    }
    // It has seen something.
    #expect(counts.values.allSatisfy { $0 > 300 }, "\(counts)")
    #expect(rare.values.allSatisfy { $0 > 1 }, "\(rare)")
  }

  @Test(arguments: 1...20)
  func `the same seed tells the same story`(_ seed: UInt64) {
    let stories = (0..<2).map { _ in
      let model = LiveModel(seed: seed)
      model.run(commands: 30)
      return model.bunny.story
    }
    #expect(stories[0].count > 20)
    let first = zip(stories[0], stories[1]).first { $0 != $1 }
    #expect(first == nil && stories[0].count == stories[1].count, "\(String(describing: first))")
  }
}
