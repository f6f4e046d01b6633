import BunnyMedia

/// Counts and times of one track's packets, as they come.
struct PacketCheck {
  private(set) var count = 0
  private(set) var withoutTime = 0
  private(set) var dtsNotRising = 0
  private(set) var ptsTwice = 0
  private(set) var firstPts: Double?
  private(set) var end: Double?
  private var bytes = 0
  private var lastDts: Int64?
  private var recentPts = Ring<Int64>(limit: 64)
  private var bitrate = BitrateMeter()

  mutating func add(_ packet: Packet) {
    count += 1
    bytes += packet.size
    guard let dts = packet.dtsIfKnown, let pts = packet.ptsIfKnown else {
      withoutTime += 1
      return
    }
    if let lastDts, dts <= lastDts { dtsNotRising += 1 }
    lastDts = dts
    if recentPts.contains(pts) { ptsTwice += 1 }
    recentPts.append(pts)
    let start = packet.seconds(pts)
    firstPts = min(firstPts ?? start, start)
    end = max(end ?? start, start + packet.seconds(packet.duration))
    bitrate.add(bytes: packet.size, at: packet.seconds(dts))
  }

  var report: PacketReport {
    let seconds = (end ?? 0) - (firstPts ?? 0)
    return PacketReport(
      count: count, bytes: bytes, firstPts: firstPts, seconds: seconds, withoutTime: withoutTime,
      dtsNotRising: dtsNotRising, ptsTwice: ptsTwice, bitratePerSecond: bitrate.perSecond,
      meanBitrate: seconds > 0 ? Int(min(1e15, Double(bytes * 8) / seconds).rounded()) : 0,
      lowestBitrate: bitrate.lowest, highestBitrate: bitrate.highest)
  }
}

/// From each keyframe to the next.
struct KeyframeCheck {
  private(set) var frames: [Int] = []
  private(set) var seconds: [Double] = []
  private(set) var startsWithKeyframe = false
  private var count = 0
  private var last: (count: Int, pts: Double)?

  mutating func add(_ packet: Packet) {
    if count == 0 { startsWithKeyframe = packet.isKeyframe }
    if packet.isKeyframe, let ticks = packet.ptsIfKnown {
      let pts = packet.seconds(ticks)
      if let last {
        frames.append(count - last.count)
        seconds.append(pts - last.pts)
      }
      last = (count, pts)
    }
    count += 1
  }
}

/// Whether the packets of all tracks come in the order of their dts.
struct InterleavingCheck {
  private var highest = -Double.infinity
  private var stepsBack = 0
  private var largest = 0.0

  mutating func add(_ packet: Packet) {
    guard let ticks = packet.dtsIfKnown else { return }
    let dts = packet.seconds(ticks)
    if dts < highest - 1e-6 {
      stepsBack += 1
      largest = max(largest, (highest - dts) * 1000)
    }
    highest = max(highest, dts)
  }

  var report: Report.Interleaving { .init(stepsBack: stepsBack, largestStepBack: largest) }
}

extension Packet {
  /// A time that no clock says counts as none.
  var dtsIfKnown: Int64? { timebase.nanoseconds(dts) == nil ? nil : dts }
  var ptsIfKnown: Int64? { timebase.nanoseconds(pts) == nil ? nil : pts }
  func seconds(_ ticks: Int64) -> Double { Double(ticks) * timebase.value }
}

/// The last few of many values.
struct Ring<Element: Equatable> {
  let limit: Int
  private var values: [Element] = []
  private var oldest = 0

  init(limit: Int) { self.limit = limit }

  mutating func append(_ value: Element) {
    if values.count < limit {
      values.append(value)
    } else {
      values[oldest] = value
      oldest = (oldest + 1) % limit
    }
  }

  func contains(_ value: Element) -> Bool { values.contains(value) }
}
