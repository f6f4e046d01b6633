/// Bunny's Stream API, with the access key of one library.
///
/// ```swift
/// let api = BunnyStreamAPI(accessKey: key)
/// let stream = try await api.liveStreams.getLiveStream(libraryId: 12, streamId: guid)
/// ```
///
/// Copies share connections of their own: no cookies, no cache, TLS always verified. The access key
/// goes to the base URL's own scheme, host and port and nowhere else.
public struct BunnyStreamAPI: Sendable {
  /// The calls for live streams: fetching one, its ingest status, starting it, ending it.
  public let liveStreams: DefaultLiveStreamRepository

  /// - Parameters:
  ///   - baseURL: Bunny's own, or a stand-in.
  ///   - timeout: How long a call may take, from the look-up of the name to the answer's last byte.
  public init(
    accessKey: BunnyAccessKey, baseURL: BunnyAPIBaseURL = .bunny,
    timeout: Duration = .seconds(30)
  ) {
    liveStreams = DefaultLiveStreamRepository(
      RESTClient(accessKey: accessKey, baseURL: baseURL, timeout: timeout))
  }

  /// As above, with the key as plain text.
  public init(
    accessKey: String, baseURL: BunnyAPIBaseURL = .bunny, timeout: Duration = .seconds(30)
  ) {
    self.init(accessKey: BunnyAccessKey(accessKey), baseURL: baseURL, timeout: timeout)
  }
}
