import BunnyStreamAPI
import Support

/// The access key of the tests; whatever prints must not hold it.
let accessKey = "access-canary-1234"
/// The stream key of the tests; likewise.
let streamKey = "stream-canary-5678"

/// An API at `server`, which tries nothing twice unless told to.
func client(
  _ server: HTTPServer, path: String = "", timeout: Duration = .seconds(30),
  retry: BunnyRetryPolicy = .never
) throws -> BunnyStreamAPI {
  let url = try BunnyAPIBaseURL(server.url + path, allowingClearText: true)
  return BunnyStreamAPI(accessKey: accessKey, baseURL: url, timeout: timeout, retry: retry)
}

/// Its live streams.
func api(
  _ server: HTTPServer, path: String = "", timeout: Duration = .seconds(30)
) throws -> DefaultLiveStreamRepository {
  try client(server, path: path, timeout: timeout).liveStreams
}
