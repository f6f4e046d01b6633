import BunnyCapture
import BunnySystem
import Testing

@Suite struct CameraRotationTests {
  private typealias Step = CameraRotation.Step

  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: .seconds(seconds))
  }

  @Test func `one camera alone has nothing to go on to`() {
    var rotation = CameraRotation(count: 1, onLoss: .next)
    let steps = [rotation.asked(at: at(1)), rotation.lost(at: at(2)), rotation.back()]
    #expect(steps == [[], [], []] && rotation.deadline == .distantFuture)
  }

  @Test func `the next is opened beside the present one, and on air with its first picture`() {
    var rotation = CameraRotation(count: 3, onLoss: .wait)
    for (before, next) in [(0, 1), (1, 2), (2, 0)] {
      let opening = rotation.asked(at: at(10))
      #expect(opening == [.open(next, besideAnother: true)])
      #expect(rotation.candidate == next && rotation.onAir == before)
      #expect(rotation.deadline == at(16))
      let change = rotation.candidateDelivered()
      #expect(change == .change(from: before, to: next) && rotation.onAir == next)
      #expect(rotation.candidate == nil && rotation.deadline == .distantFuture)
    }
  }

  @Test func `one that does not deliver within six seconds is given up, and the present one stays`()
  {
    var rotation = CameraRotation(count: 2, onLoss: .wait)
    _ = rotation.asked(at: at(10))
    let early = rotation.passed(to: at(15.9))
    let late = rotation.passed(to: at(16))
    #expect(early == [] && late == [.close(1), .sayFailed(1, reason: nil)])
    #expect(rotation.onAir == 0 && rotation.deadline == .distantFuture)
    let tooLate = rotation.candidateDelivered()
    #expect(tooLate == nil && rotation.onAir == 0)
  }

  @Test func `one that cannot be opened is told of at once`() {
    var rotation = CameraRotation(count: 2, onLoss: .wait)
    _ = rotation.asked(at: at(10))
    let steps = rotation.candidateFailed("it is busy", lacksRoom: false, at: at(10.1))
    #expect(steps == [.close(1), .sayFailed(1, reason: "it is busy")])
    #expect(rotation.deadline == .distantFuture)
  }

  @Test func `one that fails does not keep those behind it from their turn`() {
    var rotation = CameraRotation(count: 3, onLoss: .wait)
    var opened: [Int] = []
    for _ in 0..<4 {
      _ = rotation.asked(at: at(10))
      opened.append(rotation.candidate!)
      _ = rotation.candidateFailed("it is busy", lacksRoom: false, at: at(10))
    }
    #expect(opened == [1, 2, 1, 2])
  }

  @Test func `asked again, the one after it is opened; once around, all stays as it is`() {
    var rotation = CameraRotation(count: 3, onLoss: .wait)
    _ = rotation.asked(at: at(10))
    let second = rotation.asked(at: at(11))
    #expect(second == [.close(1), .open(2, besideAnother: true)] && rotation.deadline == at(17))
    let around = rotation.asked(at: at(12))
    #expect(around == [.close(2)] && rotation.onAir == 0 && rotation.deadline == .distantFuture)
  }

  @Test func `where the bus has no room for both, the present one is let go first`() {
    var rotation = CameraRotation(count: 2, onLoss: .wait)
    _ = rotation.asked(at: at(10))
    let closing = rotation.candidateFailed("no room", lacksRoom: true, at: at(10.1))
    #expect(closing == [.close(1), .close(0)] && rotation.candidate == nil)
    let other = rotation.closed(1, at: at(10.2))
    #expect(other == [])
    let closed = rotation.closed(0, at: at(10.3))
    #expect(closed == [.open(1, besideAnother: false)] && rotation.candidate == 1)
    let change = rotation.candidateDelivered()
    #expect(change == .change(from: 0, to: 1))
  }

  @Test func `the one that was let go comes back when the next does not deliver`() {
    var rotation = CameraRotation(count: 3, onLoss: .wait)
    func makeRoom() {
      rotation = CameraRotation(count: 3, onLoss: .wait)
      _ = rotation.asked(at: at(10))
      _ = rotation.candidateFailed("no room", lacksRoom: true, at: at(10))
    }
    makeRoom()
    let hanging = rotation.passed(to: at(16))
    #expect(hanging == [.sayFailed(1, reason: nil), .open(0, besideAnother: false)])

    makeRoom()
    _ = rotation.closed(0, at: at(11))
    let failing = rotation.candidateFailed("no room", lacksRoom: true, at: at(12))
    #expect(
      failing == [.close(1), .sayFailed(1, reason: "no room"), .open(0, besideAnother: false)])

    makeRoom()
    _ = rotation.closed(0, at: at(11))
    let asked = rotation.asked(at: at(11.5))
    #expect(asked == [.close(1), .open(2, besideAnother: false)])
    let around = rotation.asked(at: at(12))
    #expect(around == [.close(2), .open(0, besideAnother: false)])
    #expect(rotation.onAir == 0 && rotation.deadline == .distantFuture)

    makeRoom()
    let other = rotation.asked(at: at(10.5))
    #expect(other == [])
    let closed = rotation.closed(0, at: at(11))
    #expect(closed == [.open(2, besideAnother: false)])
  }

  @Test func `a lost one is waited for, unless a spare is to take its place`() {
    var rotation = CameraRotation(count: 2, onLoss: .wait)
    let lost = rotation.lost(at: at(10))
    #expect(lost == [] && rotation.deadline == .distantFuture)
    // Who asks gets the next one all the same; it may take what room there is.
    let asked = rotation.asked(at: at(11))
    #expect(asked == [.open(1, besideAnother: false)])
  }

  @Test func `the first spare that delivers takes the place of a lost one, and keeps it`() {
    var rotation = CameraRotation(count: 3, onLoss: .next)
    let lost = rotation.lost(at: at(10))
    #expect(lost == [.open(1, besideAnother: false)])
    let failed = rotation.candidateFailed("gone too", lacksRoom: false, at: at(10.1))
    #expect(failed == [.close(1), .sayFailed(1, reason: "gone too")])
    #expect(rotation.deadline == at(11.1))
    let next = rotation.passed(to: at(11.1))
    #expect(next == [.open(2, besideAnother: false)])
    let change = rotation.candidateDelivered()
    #expect(change == .change(from: 0, to: 2) && rotation.deadline == .distantFuture)
  }

  @Test func `spares are tried around and around, never the lost one; each failure is said once`() {
    var rotation = CameraRotation(count: 3, onLoss: .next)
    _ = rotation.lost(at: at(10))
    var opened: [Int] = []
    var said: [Int] = []
    var now = 10.0
    for _ in 0..<5 {
      opened.append(rotation.candidate!)
      for step in rotation.candidateFailed("gone", lacksRoom: false, at: at(now)) {
        if case .sayFailed(let camera, _) = step { said.append(camera) }
      }
      now += 1
      _ = rotation.passed(to: at(now))
    }
    #expect(opened == [1, 2, 1, 2, 1] && said == [1, 2])
    let back = rotation.back()
    #expect(back == [.close(2)] && rotation.onAir == 0 && rotation.deadline == .distantFuture)
    // The next loss is a new one.
    _ = rotation.lost(at: at(now))
    let again = rotation.candidateFailed("gone", lacksRoom: false, at: at(now))
    #expect(again == [.close(1), .sayFailed(1, reason: "gone")])
  }

  @Test func `what a person asked for is not called off because the lost one is back`() {
    var rotation = CameraRotation(count: 2, onLoss: .next)
    _ = rotation.asked(at: at(10))
    let lost = rotation.lost(at: at(10.1))
    let back = rotation.back()
    #expect(lost == [] && back == [] && rotation.candidate == 1)
  }

  @Test func `one that is lost while the next is tried needs a spare if that fails`() {
    var rotation = CameraRotation(count: 2, onLoss: .next)
    _ = rotation.asked(at: at(10))
    _ = rotation.lost(at: at(10.1))
    let failed = rotation.candidateFailed("no room", lacksRoom: true, at: at(10.2))
    #expect(failed == [.close(1), .sayFailed(1, reason: "no room")])
    let again = rotation.passed(to: at(11.2))
    #expect(again == [.open(1, besideAnother: false)])
  }
}
