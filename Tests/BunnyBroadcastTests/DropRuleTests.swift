import BunnyBroadcast
import BunnySystem
import Testing

/// A keyframe each 20 frames; asks the rule of one after the other.
private struct Story {
  var rule = DropRule()
  private var index = 0

  /// - Returns: which of `count` frames are left out, by their number among all.
  mutating func frames(_ count: Int, age: Int64, confirmedAgo: Int64 = 100) -> [Int] {
    (0..<count).compactMap { _ in
      defer { index += 1 }
      let isLeftOut = rule.leavesOut(
        isKeyframe: index % 20 == 0, age: .milliseconds(age),
        confirmedAgo: .milliseconds(confirmedAgo), stallLimit: .milliseconds(1500))
      return isLeftOut ? index : nil
    }
  }

  mutating func skips(
    _ expected: [Int], of count: Int, age: Int64, confirmedAgo: Int64 = 100,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let skipped = frames(count, age: age, confirmedAgo: confirmedAgo)
    #expect(skipped == expected, sourceLocation: sourceLocation)
  }
}

@Suite struct DropRuleTests {
  @Test func `what has waited for more than 1.5 s is left out, up to the next keyframe`() {
    var story = Story()
    story.skips([], of: 5, age: 20)
    story.rule.caughtUp()
    story.skips([], of: 5, age: 1500)
    story.skips([10], of: 1, age: 1501)
    #expect(story.rule.isSkipping)
    // The rest cannot be decoded any more, however young it is.
    story.skips([11, 12, 13, 14, 15, 16, 17, 18, 19], of: 20, age: 20)
    #expect(!story.rule.isSkipping)
  }

  @Test func `a keyframe is never left out, and when it did not help, its GOP is`() {
    var story = Story()
    story.rule.caughtUp()
    story.skips(Array(1...19) + Array(21...39), of: 41, age: 5000)
  }

  @Test func `what is caught up with, a replay, loses nothing, however old`() {
    var story = Story()
    story.skips([], of: 200, age: 11_000)
    story.rule.caughtUp()
    story.skips([], of: 10, age: 1000)
    story.skips([210], of: 1, age: 1600)
  }

  @Test func `a peer that takes nothing is to be left, not to be spared`() {
    var story = Story()
    story.rule.caughtUp()
    story.skips([], of: 10, age: 3000, confirmedAgo: 1500)
    var other = Story()
    other.rule.caughtUp()
    other.skips([1], of: 2, age: 3000, confirmedAgo: 1499)
  }

  @Test func `after the line stood still, what piled up is caught up with, and loses nothing`() {
    var story = Story()
    story.rule.caughtUp()
    story.skips([], of: 5, age: 20)
    story.rule.confirmed(after: .seconds(3), stallLimit: .seconds(1.5))
    story.skips([], of: 90, age: 2900, confirmedAgo: 1)
    story.rule.caughtUp()
    story.rule.confirmed(after: .seconds(0.2), stallLimit: .seconds(1.5))
    story.skips([95], of: 1, age: 1600, confirmedAgo: 1)
  }

  @Test func `the rest of a GOP stays left out when the line stands still meanwhile`() {
    var story = Story()
    story.rule.caughtUp()
    story.skips([1, 2], of: 3, age: 1600)
    story.skips([3], of: 1, age: 3000, confirmedAgo: 2000)
    story.skips(Array(4...19), of: 20, age: 3000)
  }
}
