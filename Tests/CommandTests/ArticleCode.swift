import BunnyBroadcast
import BunnyCapture
import BunnyMedia
import BunnyRTMP
import BunnyStreamAPI
import BunnySystem

// The Swift code of the library's documentation, so that it compiles; ``DocumentTests`` compares it.

private func overview(key: String, guid: String) async throws {
  let controller = BunnyBroadcastController(
    repository: BunnyStreamAPI(accessKey: key).liveStreams, libraryId: 12345, streamId: guid,
    configuration: .bunny(quality: .hd720))
  try await controller.start()
}

private func controllersOwn(key: String, guid: String) async throws {
  let controller = BunnyBroadcastController(
    repository: BunnyStreamAPI(accessKey: key).liveStreams, libraryId: 12345, streamId: guid,
    configuration: .bunny(video: .automatic, quality: .hd720))
  try await controller.start()  // returns when viewers can see it
}

private func clientsOwn(key: String, guid: String) async throws -> BunnyLiveStream {
  let api = BunnyStreamAPI(accessKey: key)
  let stream = try await api.liveStreams.getLiveStream(libraryId: 12, streamId: guid)
  return stream
}

private func gettingStarted(key: String) async throws {
  let ingest = try Ingest("rtmp://localhost/live", streamName: key)
  let controller = BunnyBroadcastController(
    BroadcastConfiguration(ingest: ingest, video: .test, quality: .hd720))
  try await controller.start()
  await controller.leave()
}

private func goingLive(token: String, guid: String) throws -> BunnyBroadcastController {
  let api = BunnyStreamAPI(
    credential: .bearer(token), baseURL: try BunnyAPIBaseURL("https://kiosks.example.com/bunny"))
  let controller = BunnyBroadcastController(
    repository: api.liveStreams, libraryId: 12345, streamId: guid, configuration: .bunny())
  return controller
}

private func goingLive(api: BunnyStreamAPI) -> BunnyBroadcastController {
  var plan = LivePlan(
    libraryId: 12345, creating: BunnyLiveStreamCreateRequest(title: "Evening news"))
  plan.onEnded = .create  // another one like it
  plan.stateFolder = "/var/lib/kiosk"
  let controller = BunnyBroadcastController(
    repository: api.liveStreams, plan: plan, configuration: .bunny(quality: .hd720))
  return controller
}

private func events(_ controller: BunnyBroadcastController) async {
  let milestones = controller.events { event in
    switch event {
    case .started, .failed, .ended: true
    default: false
    }
  }
  for await record in milestones { print(record.date, record.words) }
}

private func push(_ bytes: UnsafeRawBufferPointer, _ configuration: inout BroadcastConfiguration) {
  let feed = PictureFeed()
  configuration.ownPictures = { feed.source() }
  // from any thread, whenever there is one:
  if let picture = Picture.copying(bytes, .bgra, width: 320, height: 180, time: .now) {
    feed.push(picture)
  }
}

private typealias Plane = Picture.Plane
private func processing(
  _ configuration: inout BroadcastConfiguration,
  _ draw: @escaping @Sendable (Picture, Plane, Plane, Plane) -> Void
) {
  configuration.processing = {
    let pool = PicturePool(width: 1280, height: 720)  // belongs to that thread
    return { picture in pool.picture(time: picture.time) { y, u, v in draw(picture, y, u, v) } }
  }
}

private func processing(_ configuration: inout BroadcastConfiguration) {
  configuration.soundProcessing = {
    let pool = SamplesPool()
    return { sound in
      pool.samples(time: sound.time, count: sound.count) { left, right in
        sound.withChannel(0) { samples in
          for (index, sample) in samples.enumerated() { left[index] = sample / 2 }
        }
        sound.withChannel(1) { samples in
          for (index, sample) in samples.enumerated() { right[index] = sample / 2 }
        }
      }
    }
  }
}
