import BunnyBroadcast

// What several events tell alike.
extension EventLine {
  static func fields(_ statistics: BroadcastStatistics) -> [JSONValue.Member] {
    [
      .init("state", .string(statistics.state)),
      .init("elapsedMs", .number((statistics.elapsedSeconds * 1000).rounded())),
      .init("waitingFor", statistics.waitingFor.map { .string($0) } ?? .null),
      .init(
        "waitingMs", statistics.waitingSeconds.map { .number(($0 * 1000).rounded()) } ?? .null),
      .init("framesPerSecond", .number(thousandths(statistics.framesPerSecond))),
      .init("bitrate", .number(statistics.bitrate.rounded())),
      .init("confirmedBitrate", .number(statistics.confirmedBitrate.rounded())),
      .init("targetBitrate", .integer(statistics.targetBitrate)),
      .init("targetReason", statistics.targetReason.map { .string($0) } ?? .null),
    ] + fields(statistics.encoding) + [
      .init("queueAgeMs", .number(thousandths(statistics.queueAgeMs))),
      .init("roundTripMs", statistics.roundTripMs.map { .number(thousandths($0)) } ?? .null),
      .init("kernelQueueBytes", .integer(statistics.kernelQueueBytes)),
    ] + handling(statistics.handlingP50Ms, statistics.handlingP99Ms) + [
      .init("latencyP50Ms", .number(thousandths(statistics.latencyP50Ms))),
      .init("latencyP99Ms", .number(thousandths(statistics.latencyP99Ms))),
    ] + levels(statistics) + fields(statistics.totals)
  }

  /// How the picture is encoded.
  static func fields(_ encoding: EncodingInUse?) -> [JSONValue.Member] {
    [
      .init("encodedWidth", encoding.map { .integer($0.width) } ?? .null),
      .init("encodedHeight", encoding.map { .integer($0.height) } ?? .null),
      .init("encodedFrameRate", encoding.map { .number(thousandths($0.frameRate)) } ?? .null),
      .init("encoder", encoding.map { .string($0.encoder) } ?? .null),
      .init("effort", encoding?.effort.map { .string($0) } ?? .null),
    ]
  }

  static func levels(_ statistics: BroadcastStatistics) -> [JSONValue.Member] {
    func level(_ value: Double?) -> JSONValue {
      value.map { .number(($0 * 10).rounded() / 10) } ?? .null
    }
    return [
      .init("peakLeft", level(statistics.left?.peak)),
      .init("peakRight", level(statistics.right?.peak)),
      .init("rmsLeft", level(statistics.left?.rms)),
      .init("rmsRight", level(statistics.right?.rms)),
      .init("brightness", statistics.brightness.map { .number(thousandths($0)) } ?? .null),
    ]
  }

  static func fields(_ load: ProcessorLoad, _ answer: String) -> [JSONValue.Member] {
    [
      .init("pictureMs", .number(thousandths(load.pictureMs))),
      .init("frameMs", .number(thousandths(load.frameMs))),
      .init("usedProcessors", .number(thousandths(load.used))),
      .init("freeProcessors", .number(thousandths(load.free))),
      .init("processors", .number(thousandths(load.processors))),
      .init("answer", .string(answer)),
    ]
  }

  static func lasting(_ time: Duration) -> JSONValue.Member {
    .init("forMs", .integer(Int64(time.inMilliseconds.rounded())))
  }

  static func handling(_ half: Double, _ most: Double) -> [JSONValue.Member] {
    [
      .init("handlingP50Ms", .number(thousandths(half))),
      .init("handlingP99Ms", .number(thousandths(most))),
    ]
  }

  static func fields(_ totals: BroadcastTotals) -> [JSONValue.Member] {
    [
      .init("capturedFrames", .integer(totals.capturedFrames)),
      .init("repeatedFrames", .integer(totals.repeatedFrames)),
      .init("skippedFrames", .integer(totals.skippedFrames)),
      .init("missedFrames", .integer(totals.missedFrames)),
      .init("encodedFrames", .integer(totals.encodedFrames)),
      .init("droppedFrames", .integer(totals.droppedFrames)),
      .init("publishedFrames", .integer(totals.publishedFrames)),
      .init("filledSamples", .integer(totals.filledSamples)),
      .init("bytes", .integer(totals.bytes)), .init("connections", .integer(totals.connections)),
      .init("liveMs", .number((totals.liveSeconds * 1000).rounded())),
      .init("decodeErrors", .integer(totals.decodeErrors)),
    ]
  }

  static func thousandths(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
