import BunnyBroadcast
import BunnyCapture
import BunnyStreamAPI
import BunnySystem
import Glibc
import Support
import Testing

/// The controller at a running sandbox: what it tells is what the ingests and the API saw.
@Suite(.enabled(if: NginxIngest.isAvailable, "needs nginx with its RTMP module"))
struct SandboxControllerTests {
  private static let milestones = [
    "started", "failedOver", "reconnected", "left", "streamEnded", "stopped", "failed", "ended",
  ]

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func controller(
    _ sandbox: SandboxProcess, _ streamId: String? = nil
  ) throws -> BunnyBroadcastController {
    let api = BunnyStreamAPI(
      accessKey: sandbox.facts.accessKey, baseURL: try BunnyAPIBaseURL(sandbox.facts.apiUrl))
    var quality = BroadcastQuality(
      resolution: .custom(width: 320, height: 180), frameRate: 15, videoBitrate: 300_000)
    quality.encoder.preset = "ultrafast"
    var plan = LivePlan(
      libraryId: sandbox.facts.libraryId, streamId: streamId ?? sandbox.facts.streamId)
    plan.stateFolder = folder.path
    return BunnyBroadcastController(
      repository: api.liveStreams, plan: plan,
      configuration: .bunny(video: .test, audio: .tone, quality: quality))
  }

  private func listen(_ controller: BunnyBroadcastController) -> Task<[String], Never> {
    let events = controller.events()
    return Task {
      await events.reduce(into: [String]()) { $0.append("\($1.event)".words.first ?? "") }
    }
  }

  @Test func `it survives an ingest, and is told that its stream was ended elsewhere`()
    async throws
  {
    let sandbox = try await SandboxProcess.start("--ready-after", "0")
    let controller = try controller(sandbox)
    let told = listen(controller)
    try await controller.start()
    let back = controller.events { if case .reconnected = $0 { true } else { false } }
    kill(sandbox.facts.primaryPid, SIGKILL)
    for await _ in back { break }
    #expect(controller.snapshot.state == "live")
    #expect(try await sandbox.api("PUT", "/stop").status == 200)
    // Before it is known that the stream is over, the other ingest may be tried.
    let all = await told.value.filter(Self.milestones.contains)
    #expect(all.prefix(3) == ["started", "failedOver", "reconnected"], "\(all)")
    #expect(all.suffix(3) == ["stopped", "failed", "ended"], "\(all)")
    #expect(controller.snapshot.state == "ended", "\(controller.snapshot)")
    let calls = try await sandbox.calls()
    #expect(calls.count { $0 == "stop 200" } == 1 && calls.count { $0 == "start 200" } == 1)
    try await sandbox.end()
  }

  @Test func `two controllers of one process do not fight over one stream`() async throws {
    let sandbox = try await SandboxProcess.start("--ready-after", "0")
    let first = try controller(sandbox)
    try await first.start()
    let second = try controller(sandbox)
    let refusal = await #expect(throws: BunnyBroadcastControllerError.self) {
      try await second.start()
    }
    #expect(refusal?.description.contains("of this machine broadcasts to the live stream") == true)
    #expect(first.snapshot.state == "live" && first.snapshot.stream == sandbox.facts.streamId)
    #expect(first.snapshot.title == "bunny-sandbox")
    await first.leave()
    try await second.start()
    await second.leave()
    #expect(second.snapshot.stream == sandbox.facts.streamId)
    try await sandbox.end()
  }

  @Test func `a stop before the stream was found leaves it, and says so`() async throws {
    let sandbox = try await SandboxProcess.start("--ready-after", "0")
    _ = try await sandbox.http("POST", "/sandbox/fault?seconds=60&kind=slow&calls=get")
    let controller = try controller(sandbox)
    controller.startBroadcast()
    let left = await #expect(throws: BunnyBroadcastControllerError.self) {
      try await controller.stop()
    }
    #expect(left == .left && controller.snapshot.state == "left")
    #expect(try await sandbox.calls().allSatisfy { !$0.hasPrefix("stop") })
    try await sandbox.end()
  }

  @Test func `it leaves, resumes, and ends its stream`() async throws {
    let sandbox = try await SandboxProcess.start("--ready-after", "0")
    let controller = try controller(sandbox)
    let first = listen(controller)
    try await controller.start()
    await controller.leave()
    #expect(
      await first.value.filter(Self.milestones.contains) == ["started", "left", "stopped", "ended"])
    let second = listen(controller)
    try await controller.start()
    try await controller.stop()
    #expect(
      await second.value.filter(Self.milestones.contains)
        == ["started", "streamEnded", "stopped", "ended"])
    let calls = try await sandbox.calls()
    #expect(calls.count { $0 == "start 200" } == 1 && calls.count { $0 == "stop 200" } == 1)
    await #expect(throws: BunnyBroadcastControllerError.self) { try await controller.start() }
    #expect(controller.snapshot.state == "failed")
    try await sandbox.end()
  }

  @Test func `two in one process broadcast to two streams, and neither sees the other`()
    async throws
  {
    let sandbox = try await SandboxProcess.start("--ready-after", "0")
    let api = BunnyStreamAPI(
      accessKey: sandbox.facts.accessKey, baseURL: try BunnyAPIBaseURL(sandbox.facts.apiUrl))
    let made = try await api.liveStreams.createLiveStream(
      libraryId: sandbox.facts.libraryId, request: BunnyLiveStreamCreateRequest(title: "Two"))
    let ids = [sandbox.facts.streamId, try #require(made.id)]
    let controllers = try ids.map { try controller(sandbox, $0) }
    let told = controllers.map { listen($0) }
    async let other: Void = controllers[1].start()
    try await controllers[0].start()
    try await other
    try await controllers[0].stop()
    #expect(controllers[1].snapshot.state == "live")
    await controllers[1].leave()
    #expect(
      await told[0].value.filter(Self.milestones.contains)
        == ["started", "streamEnded", "stopped", "ended"])
    #expect(
      await told[1].value.filter(Self.milestones.contains)
        == ["started", "left", "stopped", "ended"])
    for (id, stops) in zip(ids, [1, 0]) {
      let calls = try await sandbox.calls(of: id)
      #expect(calls.count { $0 == "publish 200" } == 1, "\(calls)")
      #expect(calls.count { $0 == "start 200" } == 1, "\(calls)")
      #expect(calls.count { $0.hasPrefix("stop ") } == stops, "\(calls)")
    }
    try await sandbox.end()
  }
}

extension String {
  fileprivate var words: [String] { split { !$0.isLetter }.map(String.init) }
}
