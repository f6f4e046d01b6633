import BunnyStreamAPI
import Support

/// The access key of the tests; whatever prints must not hold it.
let accessKey = "access-canary-1234"
/// The stream key of the tests; likewise.
let streamKey = "stream-canary-5678"

/// An API at `server`.
func api(
  _ server: HTTPServer, path: String = "", timeout: Duration = .seconds(30)
) throws -> DefaultLiveStreamRepository {
  let url = try BunnyAPIBaseURL(server.url + path, allowingClearText: true)
  return BunnyStreamAPI(accessKey: accessKey, baseURL: url, timeout: timeout).liveStreams
}
