import Testing

struct LiveModelTests {
  @Test func `whatever happens, in whatever order, a live broadcast keeps its word`() {
    var counts: [String: Int] = [:]
    for seed in 1...400 {
      let model = LiveModel(seed: UInt64(seed))
      model.run(commands: 25)
      if let wrong = model.bunny.wrongs.first {
        Issue.record("seed \(seed): \(wrong) (and \(model.bunny.wrongs.count - 1) more)")
        return
      }
      for call in ["get", "status", "start", "stop", "create"] {
        counts[call, default: 0] += model.bunny.count(call)
      }
    }
    // It has seen something.
    #expect(counts.values.allSatisfy { $0 > 200 }, "\(counts)")
  }
}
