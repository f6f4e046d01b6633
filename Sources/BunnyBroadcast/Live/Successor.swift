package import BunnyStreamAPI
package import FoundationEssentials

extension BunnyLiveStreamCreateRequest {
  /// Another stream like `stream`, which is over. Of its schedule only what lies ahead can be asked for.
  ///
  /// - Parameter now: by a clock that may be slow; the stream's own end is not ahead of it either way.
  package init(like stream: BunnyLiveStream, now: Date) {
    let now = [stream.startedAt, stream.endedAt].compactMap(\.self).reduce(now, max)
    let start = stream.scheduledStartTime.flatMap { $0 > now ? $0 : nil }
    let end = stream.scheduledEndTime.flatMap { $0 > now ? $0 : nil }
    let title = stream.title ?? ""
    self.init(
      title: title.isEmpty ? "Live stream" : title, description: stream.description,
      collectionId: stream.collectionId, scheduledStartTime: start, scheduledEndTime: end,
      isPublic: stream.isPublic, dvrEnabled: stream.dvrEnabled,
      dvrWindowSeconds: stream.dvrEnabled && stream.dvrWindowSeconds > 0
        ? stream.dvrWindowSeconds : nil,
      recordVod: stream.recordVod, enableCountdown: start == nil ? nil : stream.enableCountdown,
      preStreamTrailerVideoId: stream.preStreamTrailerVideoId,
      rtmpOutputs: stream.rtmpOutputs.isEmpty ? nil : stream.rtmpOutputs)
  }
}
