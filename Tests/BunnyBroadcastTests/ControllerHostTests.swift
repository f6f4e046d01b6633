import BunnyBroadcast
import BunnyCapture
import BunnyInspect
import BunnyMedia
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Foundation
import Support
import Testing

/// What a program may do around a controller.
@Suite(.serialized) struct ControllerHostTests {
  @Test func `a host that blocks its main thread loses nothing`() async throws {
    let scene = try await EmbeddedController()
    let events = scene.controller.events()
    try await scene.controller.start()
    let ingest = scene.ingest
    let before = ingest.visits.reduce(0) { $0 + $1.media.count }
    let hasArrived = DispatchSemaphore(value: 0)
    // 30 pictures and 47 packets of sound a second: two seconds.
    Task.detached {
      _ = try await ingest.waitUntil { visits in
        visits.count == 2 && visits.reduce(0) { $0 + $1.media.count } - before > 150
      }
      hasArrived.signal()
    }
    let isInTime = await MainActor.run {
      ingest.command(.reset)
      return hasArrived.wait(timeout: .now() + 20) == .success
    }
    #expect(isInTime)
    #expect(ingest.visits.count == 2)
    await scene.controller.leave()
    let told = await events.reduce(into: []) { $0.append($1) }
    try await scene.log.isOver()
    #expect(scene.log.records.current == told)
    #expect(told.map(\.number) == Array(1...told.count))
    #expect(told.contains { $0.event.name == "reconnected" })
  }

  @Test func `two controllers in one process know nothing of each other`() async throws {
    let one = try await EmbeddedController()
    let other = try await EmbeddedController { $0.isMuted = true }
    async let first: Void = one.controller.start()
    async let second: Void = other.controller.start()
    try await (first, second).0
    try await other.log.reaches("live")
    await one.controller.leave()
    #expect(other.controller.snapshot.state == "live" && other.controller.snapshot.isMuted)
    other.controller.toggleMute()
    #expect(!other.controller.snapshot.isMuted)
    try await other.controller.stop()
    #expect(one.repository.count("stop") == 0 && other.repository.count("stop") == 1)
  }

  @Test func `what cannot be done is said, and never a no-op`() async throws {
    let scene = try await EmbeddedController()
    let reason = "there is one camera only; configure others in otherVideos"
    await #expect(throws: BunnyBroadcastControllerError.unavailable(.rotateCamera, reason: reason))
    {
      try await scene.controller.nextCamera()
    }
    await #expect(throws: BunnyBroadcastControllerError.notBroadcasting) {
      try await scene.controller.stop()
    }
    let capabilities = await scene.controller.capabilities
    #expect(!capabilities.canRotateCamera && capabilities.canEndStream)
    #expect(capabilities.encoders.first == "libx264")
    let wrong = try await EmbeddedController { $0.quality.frameRate = 1000 }
    let error = await #expect(throws: BunnyBroadcastControllerError.self) {
      try await wrong.controller.start()
    }
    guard case .quality(let problem) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await wrong.log.isOver()
    #expect(wrong.log.failures.current == ["the quality's \(problem)"])
    #expect(wrong.repository.calls.isEmpty)
  }

  @Test func `a broadcast that fails tells why, everywhere`() async throws {
    var script = ScriptedRepository.Script()
    script.status = [.ended]
    let scene = try await EmbeddedController(script)
    let error = await #expect(throws: BunnyBroadcastControllerError.self) {
      try await scene.controller.start()
    }
    let words = try #require(error).description
    #expect(words.contains("can never run again"))
    try await scene.log.isOver()
    #expect(scene.log.failures.current == [words])
    #expect(scene.controller.snapshot.lastError == words)
    guard case .streamOver = scene.controller.lastError else {
      Issue.record("\(String(describing: scene.controller.lastError))")
      return
    }
  }

  @Test func `whoever waits may be cancelled, and the broadcast goes on`() async throws {
    var script = ScriptedRepository.Script()
    script.status = [.created]
    script.ready = [.success(false)]
    let scene = try await EmbeddedController(script)
    let starting = Task { [controller = scene.controller] in try await controller.start() }
    try await scene.log.reaches("preview")
    starting.cancel()
    await #expect(throws: BunnyBroadcastControllerError.cancelled) { try await starting.value }
    #expect(scene.controller.snapshot.state == "preview")
    await scene.controller.leave()
  }

  @Test func `a controller that nobody holds leaves its stream`() async throws {
    let ingest: ScriptedIngest
    let repository: ScriptedRepository
    let events: AsyncStream<BunnyBroadcastRecord>
    do {
      let scene = try await EmbeddedController()
      (ingest, repository) = (scene.ingest, scene.repository)
      events = scene.controller.events()
      try await scene.controller.start()
    }
    let told = await events.reduce(into: []) { $0.append($1.event.name) }
    #expect(told.contains("left") && told.last == "ended" && repository.count("stop") == 0)
    _ = try await ingest.visit()
  }

  @Test(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
  func `pictures and sound that a program pushes and changes are broadcast`() async throws {
    let nginx = try await NginxIngest()
    let (pictures, sound, isOver) = (PictureFeed(), SampleFeed(), WakeEvent())
    startThread("program") {
      let (frame, start) = (Int64.seconds(1) / 12, MonotonicTime.now)
      let bgra = [UInt8](repeating: 60, count: 200 * 100 * 4)
      for number in 0... {
        let time = start + Int64(number) * frame
        let picture = bgra.withUnsafeBytes {
          Picture.copying($0, .bgra, width: 200, height: 100, time: time)
        }
        if let picture { pictures.push(picture) }
        let run = (0..<22_050 / 12).map { Float($0 % 50) / 100 }
        let began = start + Int64(number * (22_050 / 12)) * .seconds(1) / 22_050
        if let samples = Samples.copying(run, sampleRate: 22_050, channels: 1, time: began) {
          sound.push(samples)
        }
        if isOver.wait(until: time + frame) { return }
      }
    }
    let recording = try await record(.test, quality: FailoverTrial.quality, seconds: 2, to: nginx) {
      $0.ownPictures = { pictures.source() }
      $0.ownSound = { sound.source() }
      $0.processing = {
        let pool = PicturePool(width: 320, height: 180)
        return { given in
          pool.picture(time: given.time) { y, u, v in
            given.withPlanes { fromY, fromU, fromV in
              for (to, from) in [(y, fromY), (u, fromU), (v, fromV)] {
                for row in 0..<to.height {
                  (to.bytes + row * to.stride).update(
                    from: from.bytes + row * from.stride, count: to.width)
                }
              }
            }
            for row in 0..<16 { (y.bytes + row * y.stride).update(repeating: 235, count: 16) }
          }
        }
      }
    }
    isOver.signal()
    try expectNothingSeen(recording, seconds: 2)
    #expect((18...30).contains(recording.totals.capturedFrames), "\(recording.totals)")
    #expect(recording.totals.filledSamples < 12_000, "\(recording.totals)")
    #expect(try recording.corners().allSatisfy { $0 > 200 })
  }

  @Test func `a program's own step takes sound too, and what does not fit is left out`()
    async throws
  {
    let nginx = try await NginxIngest()
    let silenced = try await record(
      .test, .tone, quality: FailoverTrial.quality, seconds: 2, to: nginx
    ) {
      $0.soundProcessing = {
        let pool = SamplesPool()
        return { given in
          pool.samples(time: given.time, count: given.count) { left, right in
            for index in left.indices { left[index] = 0 }
            for index in right.indices { right[index] = 0 }
          }
        }
      }
    }
    try expectNothingSeen(silenced, seconds: 2)
    let silent = silenced.report.audio?.silent.map(\.length) ?? []
    #expect(silent.count == 1 && silent[0] > 1.9, "\(silent)")

    var configuration = BroadcastConfiguration(
      ingest: try nginx.ingest(), video: .test, audio: .tone, quality: FailoverTrial.quality)
    configuration.duration = .seconds(1)
    configuration.soundProcessing = {
      let pool = SamplesPool()
      return { pool.samples(time: $0.time, count: $0.count + 1) { _, _ in } }
    }
    let controller = BunnyBroadcastController(configuration)
    let notices = controller.events { $0.name == "notice" }
    try await controller.start()
    let said = await notices.reduce(into: []) { $0.append($1.words) }
    #expect(said.count == 1, "\(said)")
    let form = #"\d+ samples of 2 channels at 48000 Hz \(fltp\) from \d+ ms on"#
    let words = try Regex(
      "what the program makes of sound is left out: it is \(form), and has to be \(form)")
    #expect(said.first?.wholeMatch(of: words) != nil, "\(said)")
  }

  @Test func `what is made of a picture and does not fit is left out, and said once`() async throws
  {
    let ingest = try ScriptedIngest()
    var configuration = BroadcastConfiguration(
      ingest: try ingest.ingest(), video: .test, audio: .silence, quality: FailoverTrial.quality)
    configuration.duration = .seconds(1)
    configuration.processing = {
      let pool = PicturePool(width: 64, height: 64)
      return { pool.picture(time: $0.time) { _, _, _ in } }
    }
    let controller = BunnyBroadcastController(configuration)
    let notices = controller.events { $0.name == "notice" }
    try await controller.start()
    let said = await notices.reduce(into: []) { $0.append($1.words) }
    let words =
      "what the program makes of a picture is left out: it is yuv420p 64x64, and has to be "
    #expect(said == [words + "yuv420p 320x180"])
  }
}
