import BunnyCommand
import BunnySystem
import Testing

@Suite struct EndQuestionTests {
  private let start = MonotonicTime(nanoseconds: 0)

  private func isAsked(_ step: EndQuestion.Step?) -> Bool {
    if case .ask? = step { true } else { false }
  }

  @Test func `q asks, and only y ends`() {
    let answers: [(Character, EndQuestion.Step)] = [("y", .end), ("n", .goOn)]
    for (key, step) in answers {
      var question = EndQuestion()
      #expect(isAsked(question.pressed("q", at: start)))
      #expect(question.pressed("e", at: start) == nil)
      #expect(question.pressed(key, at: start) == step)
      #expect(question.pressed(key, at: start) == nil)
    }
  }

  @Test func `q that nobody answers goes on`() {
    var question = EndQuestion()
    _ = question.pressed("Q", at: start)
    #expect(question.passed(start + (EndQuestion.patience - 1)) == .nothing)
    #expect(question.passed(start + EndQuestion.patience) == .goOn)
    #expect(question.passed(start + 2 * EndQuestion.patience) == .nothing)
  }

  @Test func `Ctrl-C asks: end, leave or go on`() {
    let answers: [(Character, EndQuestion.Step)] = [("e", .end), ("l", .leave), ("g", .goOn)]
    for (key, step) in answers {
      var question = EndQuestion()
      #expect(isAsked(question.interrupted(at: start)))
      #expect(question.pressed("y", at: start) == nil)
      #expect(question.pressed(key, at: start) == step)
    }
  }

  @Test func `Ctrl-C twice, or unanswered for ten seconds, leaves`() {
    var twice = EndQuestion()
    _ = twice.interrupted(at: start)
    #expect(twice.interrupted(at: start) == .leave)
    var unanswered = EndQuestion()
    _ = unanswered.interrupted(at: start)
    #expect(unanswered.passed(start + .seconds(10)) == .leave)
  }

  @Test func `Ctrl-C after q asks anew`() {
    var question = EndQuestion()
    _ = question.pressed("q", at: start)
    #expect(isAsked(question.interrupted(at: start + .seconds(9))))
    #expect(question.passed(start + .seconds(11)) == .nothing)
    #expect(question.pressed("e", at: start + .seconds(12)) == .end)
  }

  @Test func `a question that is withdrawn is never answered`() {
    for ask in [{ $0.interrupted(at: $1) }, { $0.pressed("q", at: $1) ?? .nothing }]
      as [(inout EndQuestion, MonotonicTime) -> EndQuestion.Step]
    {
      var question = EndQuestion()
      #expect(isAsked(ask(&question, start)))
      question.withdraw()
      #expect(question.pressed("y", at: start) == nil && question.pressed("l", at: start) == nil)
      #expect(question.passed(.distantFuture) == .nothing)
    }
  }

  @Test func `other keys are not its business`() {
    var question = EndQuestion()
    #expect(question.pressed("m", at: start) == nil)
    #expect(question.pressed("y", at: start) == nil)
    #expect(question.passed(.distantFuture) == .nothing)
  }
}
