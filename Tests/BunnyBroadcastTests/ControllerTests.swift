import BunnyBroadcast
import BunnyCapture
import BunnyMedia
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem
import Foundation
import Support
import Testing

/// The controller over the engine, an ingest and an API that a test has.
@Suite(.serialized) struct ControllerTests {
  private static func created(
    _ change: (inout ScriptedRepository.Script) -> Void = { _ in }
  ) -> ScriptedRepository.Script {
    var script = ScriptedRepository.Script()
    script.status = [.created]
    change(&script)
    return script
  }

  @Test func `it goes live once viewers can see it, and leaves what it began`() async throws {
    let scene = try await EmbeddedController(
      Self.created { $0.ready = [.success(false), .success(true)] })
    let controller = scene.controller
    let events = controller.events()
    let milestones = controller.events { ["started", "stopped"].contains($0.name) }
    try await controller.start()
    #expect(scene.repository.count("start") == 1)
    try await controller.start()
    #expect(scene.repository.count("get") == 1, "a start while it is live does nothing")
    try await scene.log.reaches("live")
    let shown = await MainActor.run {
      (
        controller.state, controller.elapsedTime, controller.isAttached,
        controller.primaryIngestLive
      )
    }
    #expect(
      shown.0 == .live(try Ingest("rtmp://127.0.0.1:\(scene.ingest.port)/live", streamName: "key")))
    #expect(shown.1?.hasPrefix("00:00:0") == true && shown.2 && shown.3 == true)
    #expect(controller.snapshot.state == "live" && controller.snapshot.since != nil)
    await controller.leave()
    #expect(scene.repository.count("stop") == 0)
    let told = await events.reduce(into: []) { $0.append($1) }
    #expect(Set(told.map(\.broadcast)).count == 1 && told.map(\.number) == Array(1...told.count))
    #expect(told.last?.event.name == "ended" && told.allSatisfy { !$0.words.isEmpty })
    let names = told.map(\.event.name)
    #expect(names.firstIndex(of: "running")! + 1 == names.firstIndex(of: "started")!)
    #expect(
      await milestones.reduce(into: []) { $0.append($1.event.name) } == ["started", "stopped"])
    try await scene.log.isOver()
    #expect(
      scene.log.states.current
        == ["waiting", "preparing", "connecting", "preview", "live", "stopping", "left"])
    #expect(scene.log.records.current == told)
    let rest = await MainActor.run {
      (controller.elapsedTime, controller.isAttached, controller.primaryIngestLive)
    }
    #expect(rest.0 == nil && !rest.1 && rest.2 == nil)
  }

  @Test func `a snapshot is JSON, and holds no key`() async throws {
    let scene = try await EmbeddedController()
    try await scene.controller.start()
    let snapshot = scene.controller.snapshot
    let data = try JSONEncoder().encode(snapshot)
    #expect(try JSONDecoder().decode(BunnyBroadcastSnapshot.self, from: data) == snapshot)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains("•••") && !text.contains("key\""))
    #expect(snapshot.camera.name == "test" && snapshot.quality.width == 320)
    await scene.controller.leave()
    #expect(scene.controller.snapshot.state == "left")
    #expect(scene.controller.statistics.totals.connections == 1)
  }

  @Test func `stop ends the stream once, and a start meanwhile begins after it`() async throws {
    let scene = try await EmbeddedController()
    try await scene.controller.start()
    async let stopped: Void = scene.controller.stop()
    async let again: Void = scene.controller.stop()
    try await (stopped, again).0
    #expect(scene.repository.count("stop") == 1)
    try await scene.log.reaches("ended")
    try await scene.controller.start()
    scene.controller.leaveBroadcast()
    try await scene.controller.start()
    #expect(scene.repository.count("get") == 3 && scene.repository.count("stop") == 1)
    await scene.controller.leave()
    try await scene.log.isOver(times: 3)
    #expect(Set(scene.log.records.current.map(\.broadcast)).count == 3)
  }

  @Test(arguments: [
    ("waiting", true), ("waiting", false), ("connecting", true), ("preview", false),
    ("preview", true),
  ])
  func `an end in any phase of starting is prompt and leaves nothing behind`(
    _ phase: String, _ ends: Bool
  ) async throws {
    let script = Self.created { script in
      if phase == "waiting" { script.key = nil }
      script.ready = [.success(false)]
    }
    weak var core: ControllerCore?
    let isGone = Watched(false)
    do {
      let scene = try await EmbeddedController(script) { configuration in
        let witness = Witness(isGone)
        configuration.processing = {
          _ = witness
          return { $0 }
        }
      }
      core = scene.controller.core
      if phase == "connecting" { scene.ingest.close() }
      let starting = Task { [controller = scene.controller] in try await controller.start() }
      try await scene.log.reaches(phase)
      // Not by the main actor, which another test may hold up.
      let ended = scene.controller.events { $0.name == "ended" }
      let began = MonotonicTime.now
      if ends { scene.controller.stopBroadcast() } else { scene.controller.leaveBroadcast() }
      await #expect(throws: BunnyBroadcastControllerError.endedBefore) { try await starting.value }
      for await _ in ended {}
      #expect(MonotonicTime.now - began < .seconds(2))
      // Of a stream that was not found yet it is not known whose it is.
      #expect(scene.repository.count("stop") == (ends && phase != "waiting" ? 1 : 0))
      #expect(scene.controller.core.hasEngine == false)
    }
    try await isGone.reach("its end") { $0 }
    #expect(core == nil)
  }
}
