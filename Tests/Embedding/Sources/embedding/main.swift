import BunnyBroadcast
import BunnyCapture
import BunnyMedia
import BunnyStreamAPI
import Foundation
import Media  // this program's own, with its Animation

let settings = ProcessInfo.processInfo.environment
let api = BunnyStreamAPI(
  accessKey: settings["BUNNY_ACCESS_KEY"] ?? "",
  baseURL: try BunnyAPIBaseURL(settings["BUNNY_API_URL"] ?? "https://video.bunnycdn.com"))

let feed = PictureFeed()
var configuration = BroadcastConfiguration.bunny(audio: .tone, quality: .sd480)
configuration.ownPictures = { feed.source() }  // in place of a camera

let controller = BunnyBroadcastController(
  repository: api.liveStreams, libraryId: Int(settings["BUNNY_LIBRARY_ID"] ?? "") ?? 0,
  streamId: settings["BUNNY_STREAM_ID"] ?? "", configuration: configuration)
let events = controller.events()
let listening = Task { for await record in events { print(record.words) } }

let drawing = Task.detached {
  let animation = Animation(width: 320, height: 180)
  for number in 0... where !Task.isCancelled {
    animation.frame(number).withUnsafeBytes { bytes in
      if let picture = Picture.copying(bytes, .bgra, width: 320, height: 180, time: .now) {
        feed.push(picture)
      }
    }
    try await Task.sleep(for: .milliseconds(40))  // any rate will do
  }
}

// What it knows of the stream outlives it: see LivePlan.stateFolder.
try await controller.start()  // returns when viewers can see it
try await Task.sleep(for: .seconds(5))
try await controller.stop()  // ends the stream for good; leave() lets the next broadcast resume it
drawing.cancel()
await listening.value
