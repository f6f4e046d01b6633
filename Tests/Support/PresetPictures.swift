public import BunnyCapture
public import BunnyMedia
public import BunnySystem
import Synchronization

/// Pictures made in advance, so many a second, for as long as it is asked.
public final class PresetPictures: PictureSource {
  private let picture: @Sendable (_ number: Int, _ time: MonotonicTime) -> Picture
  private let frame: Int64
  private let start = Mutex<(time: MonotonicTime, count: Int)?>(nil)
  private let wake = WakeEvent()
  private let isCancelled = Flag()

  /// - Parameter picture: makes the picture of that number, from 0.
  public init(
    framesPerSecond: Int, _ picture: @escaping @Sendable (Int, MonotonicTime) -> Picture
  ) {
    self.picture = picture
    frame = 1_000_000_000 / Int64(framesPerSecond)
  }

  public func next() throws -> Picture? {
    let (time, number) = start.withLock { start in
      let begun = start ?? (.now, 0)
      start = (begun.time, begun.count + 1)
      return (begun.time + Int64(begun.count) * frame, begun.count)
    }
    while MonotonicTime.now < time && !isCancelled.isSet { wake.wait(until: time) }
    return isCancelled.isSet ? nil : picture(number, time)
  }

  public func cancel() {
    isCancelled.isSet = true
    wake.signal()
  }
}
