import BunnyBroadcast
import BunnyStreamAPI
import BunnySystem
import Foundation
import Testing

@Suite struct StreamWatchTests {
  private static let gone = BunnyLiveStreamError(kind: .notFound, statusCode: 404)
  private func at(_ seconds: Double) -> MonotonicTime { .init(nanoseconds: .seconds(seconds)) }

  private func status(_ isLive: Bool?) -> BunnyLiveStreamIngestStatus {
    .init(readyToStart: true, primaryLive: isLive, backupLive: nil)
  }

  @Test(arguments: [BunnyLiveStreamStatus.ended, .vodProcessing, .error])
  func `a state from which nothing leads back is the end`(_ status: BunnyLiveStreamStatus) {
    var watch = StreamWatch()
    let end = watch.found(BunnyLiveStream(id: "s", status: status))
    #expect(end == .status(status))
  }

  @Test func `while no ingest takes it, it is deleted when it is not found twice`() {
    var watch = StreamWatch()
    let ends = [0, 2.9, 3].map { watch.failed(Self.gone, ingest: .isLost, at: at($0)) }
    #expect(ends == [nil, nil, .deleted])
  }

  @Test func `while an ingest takes it, a minute of nothing else is believed, and no less`() {
    var watch = StreamWatch()
    let ends = [0, 5, 13, 59.9, 60].map { watch.failed(Self.gone, ingest: .takes, at: at($0)) }
    #expect(ends == [nil, nil, nil, nil, .deleted])
    var other = StreamWatch()
    var broken = [0, 30].map { other.failed(Self.gone, ingest: .takes, at: at($0)) }
    broken.append(other.failed(.init(kind: .server), ingest: .takes, at: at(40)))
    broken += [50, 109.9].map { other.failed(Self.gone, ingest: .takes, at: at($0)) }
    #expect(broken.allSatisfy { $0 == nil })
    let lost = other.failed(Self.gone, ingest: .isLost, at: at(109.9))
    #expect(lost == .deleted)
  }

  @Test func `an answer in between begins anew, and other failures say nothing`() {
    var watch = StreamWatch()
    var ends = [watch.failed(Self.gone, ingest: .isLost, at: at(0))]
    ends.append(watch.found(BunnyLiveStream(id: "s", status: .running)))
    ends.append(watch.failed(Self.gone, ingest: .isLost, at: at(5)))
    for kind in BunnyLiveStreamError.Kind.allCases where kind != .notFound {
      ends.append(watch.failed(.init(kind: kind), ingest: .refuses, at: at(20)))
    }
    #expect(ends.allSatisfy { $0 == nil })
  }

  @Test func `together with an ingest's refusal once is enough`() {
    var watch = StreamWatch()
    let end = watch.failed(Self.gone, ingest: .refuses, at: at(0))
    #expect(end == .deleted)
  }

  @Test func `it is asked for every second time, and whenever the ingests say something odd`() {
    var watch = StreamWatch()
    let failing = BunnyLiveStreamError(kind: .server)
    let answers: [Result<BunnyLiveStreamIngestStatus, BunnyLiveStreamError>] =
      [true, true, true, false, nil].map { .success(status($0)) }
      + [.failure(failing), .failure(Self.gone), .success(status(true))]
    let looks = answers.map { watch.looks(after: $0) }
    #expect(looks == [false, true, false, true, true, false, true, false])
  }
}

@Suite struct CountdownTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func seconds(_ status: BunnyLiveStreamStatus, _ start: Double?) -> Double? {
    let stream = BunnyLiveStream(
      id: "s", status: status,
      scheduledStartTime: start.map { Self.now.addingTimeInterval($0) })
    return Countdown.seconds(to: stream, now: Self.now)
  }

  @Test(arguments: [BunnyLiveStreamStatus.scheduled, .preview, .created, .unknown])
  func `what has a time ahead is waited for`(_ status: BunnyLiveStreamStatus) {
    #expect(seconds(status, 90) == 90)
    #expect(seconds(status, 0) == nil && seconds(status, -1) == nil && seconds(status, nil) == nil)
  }

  @Test func `viewers who see it already do not wait`() {
    #expect(seconds(.running, 90) == nil)
  }

  @Test func `it is said each hour, each minute, each ten seconds, then each second`() {
    var marks = [7300.5]
    while let last = marks.last, last > 0, marks.count < 200 {
      marks.append(Countdown.mark(below: last))
    }
    #expect(marks.prefix(5) == [7300.5, 7200, 3600, 3540, 3480])
    #expect(
      marks.suffix(17) == [120, 60, 50, 40, 30, 20, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  }

  @Test func `a server's clock goes on by ours`() {
    let clock = ServerClock(Self.now, at: MonotonicTime(nanoseconds: .seconds(5)))
    #expect(clock.time(at: .init(nanoseconds: .seconds(7.5))) == Self.now.addingTimeInterval(2.5))
  }
}

@Suite struct SuccessorTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private func at(_ seconds: Double) -> Date { Self.now.addingTimeInterval(seconds) }

  @Test func `it is like the one that is over`() {
    let stream = BunnyLiveStream(
      id: "s", title: "T", description: "d", status: .ended, recordVod: true, dvrEnabled: true,
      dvrWindowSeconds: 60, isPublic: true, collectionId: "c", scheduledStartTime: at(60),
      scheduledEndTime: at(120), enableCountdown: true, preStreamTrailerVideoId: "v")
    #expect(
      BunnyLiveStreamCreateRequest(like: stream, now: Self.now)
        == BunnyLiveStreamCreateRequest(
          title: "T", description: "d", collectionId: "c", scheduledStartTime: at(60),
          scheduledEndTime: at(120), isPublic: true, dvrEnabled: true, dvrWindowSeconds: 60,
          recordVod: true, enableCountdown: true, preStreamTrailerVideoId: "v"))
  }

  @Test func `of its schedule only what is ahead is asked for, however slow our clock is`() {
    let stream = BunnyLiveStream(
      id: "s", isPublic: false, scheduledStartTime: at(-60), scheduledEndTime: at(120),
      enableCountdown: true, endedAt: at(0))
    let successor = BunnyLiveStreamCreateRequest(like: stream, now: .distantPast)
    #expect(
      successor
        == BunnyLiveStreamCreateRequest(
          title: "Live stream", scheduledEndTime: at(120), isPublic: false, dvrEnabled: false,
          recordVod: false))
  }
}

@Suite struct ReadinessFromMemoryTests {
  @Test func `a stream that is published to from memory is asked for until the API tells of it`() {
    var readiness = Readiness(starts: nil)
    #expect(readiness.first == .find(after: 0))
    let steps = (0..<5).map { _ in readiness.notFound() }
    #expect(steps == [1, 2, 4, 8, 15].map { .find(after: $0) })
    let found = readiness.found(starts: true)
    #expect(found == .ask(after: 0))
  }

  @Test func `one that runs is only watched, and one that is scheduled not started early`() {
    var readiness = Readiness(starts: nil)
    let early = [readiness.found(starts: true, wait: 40), readiness.found(starts: true, wait: 9)]
    #expect(early == [.find(after: 30, atMost: 40), .find(after: 9, atMost: 9)])
    let running = readiness.found(starts: false)
    #expect(running == .watch(after: 0))
  }
}
