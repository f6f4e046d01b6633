import BunnyBroadcast
import Testing

@Suite struct PictureBacklogTests {
  private static let frame: Int64 = 33_000_000

  private func backlog(_ loads: [Double]) -> PictureBacklog {
    var backlog = PictureBacklog()
    for load in loads { backlog.encoded(time(load)) }
    return backlog
  }

  private func time(_ load: Double) -> PictureTime {
    PictureTime(converting: 0, encoding: Int64(load * Double(Self.frame)), frame: Self.frame)
  }

  @Test func `a picture is believed to take four frames at most`() {
    func believed(_ converting: Int64, _ encoding: Int64) -> [Int64] {
      let time = PictureTime(converting: converting, encoding: encoding, frame: 10)
      return [time.converting, time.encoding, time.frame]
    }
    #expect(believed(3, 37) == [3, 37, 10])
    #expect(believed(3, 38) == [3, 37, 10])
    #expect(believed(50, 50) == [40, 0, 10])
  }

  @Test func `who keeps up catches up, and leaves nothing out`() {
    let backlog = backlog(Array(repeating: 0.8, count: 100))
    #expect(!backlog.isBehind)
    #expect(!backlog.leavesOutPicture(waiting: 14))
    #expect(!backlog.leavesOutRepeat(waiting: PictureBacklog.most))
  }

  @Test func `repetitions make room for pictures that might be thrown out`() {
    #expect(backlog([]).leavesOutRepeat(waiting: PictureBacklog.most + 1))
  }

  @Test func `a program that was stopped once is not slow`() {
    #expect(!backlog(Array(repeating: 0.3, count: 30) + [100]).isBehind)
  }

  @Test func `who cannot keep up encodes no repetition while a picture waits`() {
    let backlog = backlog(Array(repeating: 1.3, count: 30))
    #expect(backlog.isBehind)
    #expect(backlog.leavesOutRepeat(waiting: 1) && !backlog.leavesOutRepeat(waiting: 0))
    #expect(backlog.leavesOutPicture(waiting: PictureBacklog.most))
    #expect(!backlog.leavesOutPicture(waiting: PictureBacklog.most - 1))
  }

  @Test(arguments: [1.2, 2, 5, 20])
  func `the queue stays bounded, whatever a picture takes`(load: Double) {
    var backlog = PictureBacklog()
    var (waiting, most, encoded) = (0.0, 0.0, 0)
    while encoded < 500 {
      // One is taken; those that came while it was encoded wait.
      guard waiting >= 1 else {
        waiting += 1
        continue
      }
      waiting -= 1
      if backlog.leavesOutPicture(waiting: Int(waiting)) { continue }
      backlog.encoded(time(load))
      waiting += load
      encoded += 1
      if encoded > 20 { most = max(most, waiting) }
    }
    #expect(most <= Double(PictureBacklog.most) + load + 1)
  }
}
