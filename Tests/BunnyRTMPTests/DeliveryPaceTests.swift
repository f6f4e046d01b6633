import BunnyRTMP
import BunnySystem
import Testing

/// How fast bytes come through, as a connection sees it.
@Suite struct DeliveryPaceTests {
  private var delivery = Delivery(window: 4096)

  private func moment(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: .seconds(10) + .milliseconds(milliseconds))
  }

  @Test mutating func `the newest byte that has arrived tells the way's length`() {
    #expect(delivery.pace.confirmedAt == nil)
    delivery.wrote(upTo: 5000, at: moment(0))
    delivery.wrote(upTo: 10_000, at: moment(30))
    delivery.acknowledged(upTo: 4200, at: moment(40))
    #expect(delivery.pace.delay == .milliseconds(40))
    delivery.acknowledged(upTo: 8400, at: moment(75))
    #expect(delivery.pace.delay == .milliseconds(45) && delivery.pace.confirmedAt == moment(75))
    #expect(delivery.pace.burstRate == nil)
  }

  @Test mutating func `what was written at once comes through at the line's pace`() {
    delivery.wrote(upTo: 5000, at: moment(0))
    delivery.wrote(upTo: 12_000, at: moment(100))
    delivery.wrote(upTo: 25_000, at: moment(103))  // still the same burst
    delivery.acknowledged(upTo: 9000, at: moment(150))
    delivery.acknowledged(upTo: 13_000, at: moment(170))
    #expect(delivery.pace.burstRate == nil)  // too little to tell
    delivery.acknowledged(upTo: 17_000, at: moment(190))
    #expect(delivery.pace.burstRate == 200_000 && delivery.pace.burstAt == moment(190))
    delivery.wrote(upTo: 30_000, at: moment(300))
    delivery.acknowledged(upTo: 29_000, at: moment(400))  // of another write
    #expect(delivery.pace.burstAt == moment(190))
  }

  @Test mutating func `of a peer that says nothing the kernel's word counts`() {
    delivery.wrote(upTo: 5000, at: moment(0))
    delivery.arrived(upTo: 5000, at: moment(60))
    #expect(delivery.pace.delay == .milliseconds(60))
  }
}
