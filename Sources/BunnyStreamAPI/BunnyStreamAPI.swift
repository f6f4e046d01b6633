/// Bunny's Stream API, with the access key of one library.
///
/// ```swift
/// let api = BunnyStreamAPI(accessKey: key)
/// let stream = try await api.liveStreams.getLiveStream(libraryId: 12, streamId: guid)
/// ```
///
/// Copies share connections of their own: no cookies, no cache, TLS always verified. The access key
/// goes to the base URL's own scheme, host and port and nowhere else. Calls may be made from anywhere,
/// many at once; none waits for another, and one whose task is cancelled ends at once.
///
/// The access key may do anything in its library. Where it should not lie about, a service of yours
/// stands in front of Bunny's API, under a base URL and with a ``BunnyAPICredential`` of its own.
public struct BunnyStreamAPI: Sendable {
  /// The calls for live streams.
  public let liveStreams: DefaultLiveStreamRepository
  /// The calls for videos: recordings, and what was uploaded.
  public let videos: DefaultVideoRepository
  /// The calls for collections of videos and streams.
  public let collections: DefaultCollectionRepository

  /// - Parameters:
  ///   - credential: an access key, or the headers that a stand-in asks for.
  ///   - baseURL: Bunny's own, or a stand-in.
  ///   - timeout: How long a call may take, from the look-up of the name to the answer's last byte, all
  ///     its tries together.
  ///   - retry: Which calls are tried again when they fail.
  public init(
    credential: BunnyAPICredential, baseURL: BunnyAPIBaseURL = .bunny,
    timeout: Duration = .seconds(30), retry: BunnyRetryPolicy = .standard
  ) {
    self.init(RESTClient(credential, baseURL, timeout: timeout, retry: retry, trusting: nil))
  }

  /// - Parameter trusted: a file of authorities in place of the system's, for tests.
  package init(
    accessKey: String, baseURL: BunnyAPIBaseURL, retry: BunnyRetryPolicy, trusting trusted: String
  ) {
    self.init(
      RESTClient(
        .accessKey(BunnyAccessKey(accessKey)), baseURL, timeout: .seconds(30), retry: retry,
        trusting: trusted))
  }

  private init(_ client: RESTClient) {
    liveStreams = DefaultLiveStreamRepository(client)
    videos = DefaultVideoRepository(client)
    collections = DefaultCollectionRepository(client)
  }

  /// As above, with a library's access key.
  public init(
    accessKey: BunnyAccessKey, baseURL: BunnyAPIBaseURL = .bunny,
    timeout: Duration = .seconds(30), retry: BunnyRetryPolicy = .standard
  ) {
    self.init(
      credential: .accessKey(accessKey), baseURL: baseURL, timeout: timeout, retry: retry)
  }

  /// As above, with the key as plain text.
  public init(
    accessKey: String, baseURL: BunnyAPIBaseURL = .bunny, timeout: Duration = .seconds(30),
    retry: BunnyRetryPolicy = .standard
  ) {
    self.init(
      accessKey: BunnyAccessKey(accessKey), baseURL: baseURL, timeout: timeout, retry: retry)
  }
}
