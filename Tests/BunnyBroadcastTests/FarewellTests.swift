import BunnyBroadcast
import BunnyStreamAPI
import Testing

@Suite struct FarewellTests {
  private let failure = BroadcastError.fault("broken")

  private func step(
    _ asked: [Ending], failure: BroadcastError? = nil, wasFound: Bool = true,
    hasDuration: Bool = false, isUnstarted: Bool = false
  ) -> Farewell.Step {
    var farewell = Farewell()
    for ending in asked { _ = farewell.ask(ending) }
    return farewell.step(
      failure: failure, wasFound: wasFound, hasDuration: hasDuration, isUnstarted: isUnstarted)
  }

  @Test func `an explicit end stops the stream, also one that failed meanwhile`() {
    #expect(step([.end("q")]) == .stop)
    #expect(step([.end("q")], failure: failure) == .stop)
  }

  @Test func `an end before the stream is known to be nobody else's leaves it, and says so`() {
    let left = Farewell.Step.leave(
      "q; it is not ended, for this broadcast had not got hold of it: `bunny-broadcast streams stop` "
        + "ends it")
    #expect(step([.end("q")], wasFound: false) == left)
    #expect(step([.end("q")], wasFound: false, hasDuration: true) == left)
    #expect(step([], wasFound: false, hasDuration: true) == .nothing)
  }

  @Test func `a duration that is over stops the stream, one that was cut short does not`() {
    #expect(step([], hasDuration: true) == .stop)
    #expect(step([.leave("SIGTERM")], hasDuration: true) == .leave("SIGTERM"))
    #expect(step([], failure: failure, hasDuration: true) == .leave(failure.description))
  }

  @Test func `what nobody could see, for the API failed, is ended only when somebody says so`() {
    #expect(
      step([], hasDuration: true, isUnstarted: true)
        == .leave("its duration was over, and nobody has seen it"))
    #expect(step([.end("q")], hasDuration: true, isUnstarted: true) == .stop)
  }

  @Test func `everything else leaves it`() {
    #expect(step([.leave("SIGTERM")]) == .leave("SIGTERM"))
    #expect(step([], failure: failure) == .leave(failure.description))
    #expect(step([]) == .leave("its media ended"))
  }

  @Test func `leaving wins, before and after an end`() {
    #expect(step([.leave("l"), .end("q")]) == .leave("l"))
    #expect(step([.end("q"), .leave("l")]) == .leave("l"))
  }

  @Test func `what changes nothing is told apart`() {
    var farewell = Farewell()
    let wishes: [Ending] = [.end("1"), .end("2"), .leave("third"), .leave("4"), .end("5")]
    let changes = wishes.map { farewell.ask($0) }
    #expect(changes == [true, false, true, false, false])
    #expect(farewell.ending == .leave("third"))
  }

  @Test func `a stream that was never found, or is over, is neither stopped nor left`() {
    #expect(step([.leave("l")], wasFound: false) == .nothing)
    #expect(step([], failure: failure, wasFound: false) == .nothing)
    #expect(step([.end("q")], failure: failure, wasFound: false) == .nothing)
    #expect(step([.end("q")], failure: .streamOver("id", .ended)) == .nothing)
  }
}

@Suite struct FailedStopTests {
  @Test(arguments: [true, false], [BunnyLiveStreamStatus.ended, .vodProcessing, .error])
  func `a stream that is over was ended, whatever the answer`(
    _ mayPass: Bool, _ status: BunnyLiveStreamStatus
  ) {
    #expect(FailedStop(status, mayPass: mayPass) == .ended)
  }

  @Test(arguments: [BunnyLiveStreamStatus.created, .scheduled])
  func `one that has not begun has nothing to end, once that was refused`(
    _ status: BunnyLiveStreamStatus
  ) {
    #expect(FailedStop(status, mayPass: false) == .notBegun)
    #expect(FailedStop(status, mayPass: true) == .open)
  }

  @Test(arguments: [BunnyLiveStreamStatus.running, .preview, .unknown, nil])
  func `all else is to be ended yet`(_ status: BunnyLiveStreamStatus?) {
    #expect(FailedStop(status, mayPass: false) == .open)
  }
}
