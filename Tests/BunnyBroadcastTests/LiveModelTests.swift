import Testing

struct LiveModelTests {
  @Test func `whatever happens, in whatever order, a live broadcast keeps its word`() {
    var (counts, failed): ([String: Int], Int) = ([:], 0)
    for seed in 1...1500 {
      let model = LiveModel(seed: UInt64(seed))
      model.run(commands: 30)
      if let wrong = model.bunny.wrongs.first {
        Issue.record("seed \(seed): \(wrong) (and \(model.bunny.wrongs.count - 1) more)")
        failed += 1
        guard failed < 5 else { return }
      }
      for call in ["get", "status", "start", "stop", "create"] {
        counts[call, default: 0] += model.bunny.count(call)
      }
    }
    // It has seen something.
    #expect(counts.values.allSatisfy { $0 > 200 }, "\(counts)")
  }
}
