import BunnyBroadcast
import BunnyStreamAPI
import Testing

@Suite struct AdmissionTests {
  private func admission(_ status: BunnyLiveStreamStatus, key: String? = "k") -> Admission {
    Admission(BunnyLiveStream(id: "s", streamKey: key, status: status))
  }

  @Test(arguments: [BunnyLiveStreamStatus.created, .scheduled, .preview])
  func `a stream that viewers do not see yet is published to and started`(
    status: BunnyLiveStreamStatus
  ) {
    #expect(admission(status) == .publish(key: "k", needsStart: true, warning: nil))
  }

  @Test func `a running stream is resumed without another start`() {
    #expect(admission(.running) == .publish(key: "k", needsStart: false, warning: nil))
  }

  @Test(arguments: [BunnyLiveStreamStatus.ended, .vodProcessing, .error])
  func `a stream that is over is refused, key or not`(status: BunnyLiveStreamStatus) {
    #expect(admission(status) == .refuse(status))
    #expect(admission(status, key: nil) == .refuse(status))
  }

  @Test func `an unknown state goes on with a warning`() {
    guard case .publish("k", true, let warning?) = admission(.unknown) else {
      Issue.record("not published")
      return
    }
    #expect(warning == "Bunny does not say what state the stream is in; trying it")
  }

  @Test func `a missing key is asked for again`() {
    for key in [nil, ""] as [String?] {
      #expect(admission(.created, key: key) == .again("it has no stream key yet"))
    }
  }
}

@Suite struct ReadinessTests {
  @Test func `it is asked every second until it is ready, then started, then watched every five`() {
    var readiness = Readiness(starts: true)
    #expect(readiness.first == .ask(after: 0))
    #expect(readiness.answered(isReady: false, after: 0.1).step == .ask(after: 1))
    #expect(readiness.answered(isReady: true, after: 2.1).step == .start)
    #expect(readiness.started() == .watch(after: 5))
    #expect(readiness.answered(isReady: true, after: 7).step == .watch(after: 5))
    #expect(readiness.answered(isReady: false, after: 12).step == .watch(after: 5))
    #expect(readiness.answered(isReady: nil, after: 17).step == .watch(after: 5))
  }

  @Test func `an API that fails is asked every five seconds, and later if it says so`() {
    for starts in [true, false] {
      var readiness = Readiness(starts: starts)
      let waits: [Double] = [nil, 3, 42, 9999].map { seconds in
        let step = readiness.answered(
          isReady: nil, after: 1, retryAfter: seconds.map { .seconds($0) }
        ).step
        switch step {
        case .ask(let wait), .watch(let wait): return wait
        case .find, .start: return -1
        }
      }
      #expect(waits == [5, 5, 42, 600])
    }
    var readiness = Readiness(starts: true)
    let steps = [
      readiness.startFailed(retryAfter: .seconds(9)), readiness.notFound(retryAfter: .seconds(9)),
    ]
    #expect(steps == [.ask(after: 9), .find(after: 9)])
  }

  @Test func `an API that wants to be left alone is, from the first question on`() {
    #expect(Readiness(starts: nil).first == .find(after: 0))
    #expect(Readiness(starts: nil, retryAfter: .seconds(60)).first == .find(after: 60))
    #expect(Readiness(starts: nil, retryAfter: .seconds(9999)).first == .find(after: 600))
  }

  @Test func `after thirty seconds it is said once what is awaited`() {
    var readiness = Readiness(starts: true)
    let said = (0...90).map { readiness.answered(isReady: false, after: Double($0)) }
      .map(\.saysWhatIsAwaited)
    #expect(said.firstIndex(of: true) == 30)
    #expect(said.count { $0 } == 1)
  }

  @Test func `a stream that runs, or that somebody else starts, is only watched`() {
    var readiness = Readiness(starts: false)
    #expect(readiness.first == .watch(after: 0))
    for second in 0..<100 {
      let answer = readiness.answered(isReady: true, after: Double(second))
      #expect(answer.step == .watch(after: 5) && !answer.saysWhatIsAwaited)
    }
  }

  @Test func `a start that fails is tried again after 1, 2, 4, 8, then every 15 s`() {
    var readiness = Readiness(starts: true)
    var waits: [Double] = []
    for _ in 0..<6 {
      guard case .ask(let wait) = readiness.startFailed() else { continue }
      waits.append(wait)
      #expect(readiness.answered(isReady: true, after: 50).step == .start)
    }
    #expect(waits == [1, 2, 4, 8, 15, 15])
  }
}
