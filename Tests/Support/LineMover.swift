import BunnySystem
import CSupport
import Foundation

/// The thread that carries packets between the two ends of a line. It sleeps until one comes, is due,
/// or the line changes.
final class LineMover: Sendable {
  private let near: Tun
  private let far: Tun
  let traffic: Watched<LineTraffic>
  private let wake = WakeEvent()
  private let isOver = Flag()

  init(near: Tun, far: Tun, _ traffic: LineTraffic) {
    self.near = near
    self.far = far
    self.traffic = Watched(traffic)
    startThread("line", turns: .shortest) {
      support_run_first()  // a busy machine is not to be a bad line
      self.run()
    }
  }

  /// Changes the line: no packet passes under the old condition once this has returned.
  func change(_ body: (inout LineTraffic, MonotonicTime) -> Void) {
    traffic.change { body(&$0, .now) }
    wake.signal()
  }

  /// Plugs the near device's cable in, or pulls it out.
  func setCarrier(_ isThere: Bool) throws { try near.setCarrier(isThere) }

  /// Moves no more. The thread, and the devices with it, will be gone in a moment.
  func stop() {
    isOver.isSet = true
    wake.signal()
  }

  private func run() {
    var descriptors = [near.descriptor, far.descriptor, wake.fileDescriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while !isOver.isSet {
      let wait = min(move() - .now, .seconds(3600))
      support_poll(&descriptors, UInt32(descriptors.count), max(0, wait))
      wake.clear()
    }
  }

  /// Moves what there is to move now.
  /// - Returns: When there will be more, if nothing comes and nothing changes.
  private func move() -> MonotonicTime {
    traffic.change { traffic in
      let now = MonotonicTime.now
      for _ in 0..<64 {  // then it is the other direction's turn
        guard let packet = near.read() else { break }
        traffic.sendThere(packet, at: now)
      }
      for _ in 0..<64 {
        guard let packet = far.read() else { break }
        traffic.sendBack(packet, at: now)
      }
      for packet in traffic.arrivedThere(until: now) { far.write(packet) }
      for packet in traffic.arrivedBack(until: now) { near.write(packet) }
      return traffic.nextTime
    }
  }
}
