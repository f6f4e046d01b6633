import BunnyBroadcast
import BunnyCapture
import BunnyMedia
import BunnySystem
import Support
import Testing

/// Sources that deliver, and what they deliver is dead.
struct DeadSourceTests {
  /// What was said of the picture and of the sound, each in order, and the statistics.
  private struct Story {
    var picture: [String] = []
    var sound: [String] = []
    var statistics: [BroadcastStatistics] = []

    init(_ events: AsyncStream<BunnyBroadcastEvent>) async {
      for await event in events {
        switch event {
        case .pictureFrozen(.seconds(2), let reopens): picture.append("frozen, reopens: \(reopens)")
        case .pictureMoves: picture.append("moves")
        case .pictureBlack(.seconds(2), let colour): picture.append(colour)
        case .pictureVaried: picture.append("varied")
        case .cameraLost, .cameraBack: picture.append("\(event)")
        case .soundSilent(.seconds(2), let reason): sound.append("silent: \(reason ?? "")")
        case .soundHeard: sound.append("heard")
        case .statistics(let figures): statistics.append(figures)
        default: break
        }
      }
    }
  }

  private func story(
    _ camera: ScriptedCamera, _ microphone: ScriptedMicrophone, seconds: Int,
    _ change: (inout BroadcastConfiguration) -> Void = { _ in }
  ) async throws -> Story {
    let ingest = try ScriptedIngest()
    var configuration = BroadcastConfiguration(
      ingest: try ingest.ingest(), quality: FailoverTrial.quality)
    configuration.sources = OpenSources(pictures: camera, sound: microphone)
    configuration.duration = .seconds(seconds)
    configuration.vitals.frozenAfter = .seconds(2)
    configuration.vitals.blackAfter = .seconds(2)
    configuration.vitals.silentAfter = .seconds(2)
    change(&configuration)
    let broadcast = Broadcast(configuration)
    let events = broadcast.events()
    _ = try await broadcast.run()
    return await Story(events)
  }

  @Test func `each is told of once, with its end, and a frozen camera is opened anew once`()
    async throws
  {
    let camera = ScriptedCamera { seconds, _ in
      (1..<5).contains(seconds) ? .shows(16) : .halves(UInt8(60 + Int(seconds * 20) % 180))
    }
    let microphone = ScriptedMicrophone(absentFrom: 0..<0, quietFrom: 1..<6)
    let story = try await story(camera, microphone, seconds: 8)
    #expect(story.picture == ["frozen, reopens: true", "black", "moves", "varied"])
    #expect(camera.reopenings == 1)
    #expect(story.sound == ["silent: its switch is off", "heard"])
    let figures = try #require(story.statistics.first)
    #expect(figures.brightness == 0)
    // The tone is as loud on either side.
    #expect(try #require(figures.left).peak > -30 && figures.left == figures.right)
  }

  @Test func `slates, repetitions, a lost microphone and a muted broadcast are not dead`()
    async throws
  {
    let camera = ScriptedCamera { seconds, _ in
      seconds < 1 ? .halves(UInt8(60 + Int(seconds * 30))) : .fails
    }
    let microphone = ScriptedMicrophone(absentFrom: 1..<9, quietFrom: 0..<9)
    let story = try await story(camera, microphone, seconds: 6) { $0.isMuted = true }
    #expect(story.picture.count == 1 && story.sound == [], "\(story)")
    #expect(story.statistics.last?.left == nil)
  }

  @Test func `a microphone that is not there is not silent, and one that is muted here neither`()
    async throws
  {
    let camera = ScriptedCamera { seconds, _ in .halves(UInt8(60 + Int(seconds * 20) % 180)) }
    let absent = ScriptedMicrophone(absentFrom: 1..<9, quietFrom: 0..<1)
    #expect(try await story(camera, absent, seconds: 6).sound == [])
    let quiet = ScriptedMicrophone(absentFrom: 0..<0, quietFrom: 0..<9)
    let muted = try await story(camera, quiet, seconds: 6) { $0.isMuted = true }
    #expect(muted.sound == [])
  }

  @Test func `what is off is not said`() async throws {
    let camera = ScriptedCamera { _, _ in .shows(16) }
    let microphone = ScriptedMicrophone(absentFrom: 0..<0, quietFrom: 0..<9)
    let story = try await story(camera, microphone, seconds: 4) { configuration in
      (configuration.vitals.frozenAfter, configuration.vitals.blackAfter) = (nil, nil)
      configuration.vitals.silentAfter = nil
    }
    #expect(story.picture == [] && story.sound == [] && camera.reopenings == 0)
    #expect(story.statistics.first?.brightness == 0)
    #expect(story.statistics.first?.left?.rms == -120)
  }
}
