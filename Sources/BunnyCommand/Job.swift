import BunnyBroadcast
import BunnyRTMP
import BunnyStreamAPI

/// A broadcast that is ready to run, with what must be known of it around it.
struct Job {
  let broadcast: any Broadcasting
  /// The same broadcast, where it is one to a live stream of Bunny's.
  let live: LiveBroadcast?
  /// Whether signals end the live stream for good.
  let endsOnExit: Bool
  /// For the shell, whenever a stream was made.
  let onStreamCreated: String?
  let view: BroadcastView
  /// The first event.
  let beginning: EventLine

  /// Reads the settings and files that the options name; opens nothing else.
  init(
    _ options: PublishOptions, _ environment: [String: String], warn: (String) -> Void
  ) throws(CommandError) {
    switch options.target {
    case .live(let wanted):
      var (plan, api) = try wanted.connection(LiveEnvironment(environment), warn: warn)
      plan.retry = options.triesAgain ? .always : .never
      plan.stateFolder = options.stateFolder
      if options.stateFolder == nil {
        warn(
          "nothing is remembered of the stream, for none of STATE_DIRECTORY, XDG_STATE_HOME and HOME is "
            + "set: after a crash it is not known to be ours; give a service a StateDirectory=")
      }
      onStreamCreated = wanted.onStreamCreated
      let quality = try options.validQuality()
      let broadcast = LiveBroadcast(
        plan, api: api.liveStreams, configure: try options.media(quality))
      (self.broadcast, live, endsOnExit) = (broadcast, broadcast, wanted.endsOnExit)
      view = BroadcastView(
        waitingFor: "asking Bunny's API", isMuted: options.isMuted,
        hasCameras: !options.otherVideos.isEmpty)
      beginning = .begin(options, quality, ingests: nil)
    case .ingest(let wanted):
      let configuration = try options.configuration(to: wanted, warn: warn)
      (broadcast, live, endsOnExit) = (Broadcast(configuration), nil, false)
      onStreamCreated = nil
      view = BroadcastView(configuration)
      beginning = .begin(
        options, configuration.quality, ingests: (configuration.ingest, configuration.backup))
    }
  }
}
