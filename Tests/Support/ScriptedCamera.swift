public import BunnyCapture
public import BunnyMedia
import BunnySystem
import Synchronization

/// A camera of one-coloured pictures, 320x180 at 30 a second, that fails and hangs by script.
public final class ScriptedCamera: PictureSource {
  public enum Behaviour: Equatable, Sendable {
    /// Delivers a picture of this luma.
    case shows(UInt8)
    /// Delivers a picture whose left half has this luma, and whose right half is white.
    case halves(UInt8)
    /// Is not there.
    case fails
    /// Its bus has no room for it.
    case lacksRoom
    /// Does not return from the call, not even when cancelled.
    case hangs
  }

  /// What it does so many seconds after its beginning, given how many before it were abandoned.
  public typealias Script = @Sendable (_ seconds: Double, _ before: Int) -> Behaviour

  private static let frame = oneSecond / 30
  private static let oneSecond: Int64 = 1_000_000_000

  /// Begins with the first call, and goes on for those that take its place.
  private final class Beginning: Sendable {
    let reopenings = Mutex(0)
    private let moment = Mutex<MonotonicTime?>(nil)
    var time: MonotonicTime {
      moment.withLock { moment in
        let time = moment ?? .now
        moment = time
        return time
      }
    }
  }

  private let script: Script
  private let beginning: Beginning
  private let before: Int
  private let wake = WakeEvent()
  private let isCancelled = Flag()
  public let isWatched = true

  public convenience init(_ script: @escaping Script) {
    self.init(script, Beginning(), before: 0)
  }

  private init(_ script: @escaping Script, _ beginning: Beginning, before: Int) {
    (self.script, self.beginning, self.before) = (script, beginning, before)
  }

  public func next() throws -> Picture? {
    let start = beginning.time
    while true {
      let place = (MonotonicTime.now - start) / Self.frame + 1
      let time = start + place * Self.frame
      let behaviour = script(Double(time - start) / 1e9, before)
      if behaviour == .fails { throw SourceError.camera("/dev/video7", .unplugged) }
      if behaviour == .lacksRoom {
        throw SourceError.camera("/dev/video7", .noRoom(tried: "320x180"))
      }
      while MonotonicTime.now < time { wake.wait(until: time) }
      guard let (left, right) = behaviour.lumas else { continue }
      if isCancelled.isSet { return nil }
      return PicturePool(width: 320, height: 180).picture(time: time) { y, u, v in
        for (plane, left, right) in [(y, left, right), (u, 128, 128), (v, 128, 128)] {
          for byte in 0..<(plane.stride * plane.height) {
            plane.bytes[byte] = byte % plane.stride < plane.width / 2 ? left : right
          }
        }
      }
    }
  }

  public func cancel() { isCancelled.isSet = true }

  /// How often it was to be opened anew.
  public var reopenings: Int { beginning.reopenings.withLock { $0 } }

  public func reopen() -> Bool {
    beginning.reopenings.withLock { $0 += 1 }
    return true
  }

  public func renewed() -> (any PictureSource)? {
    ScriptedCamera(script, beginning, before: before + 1)
  }
}

extension ScriptedCamera.Behaviour {
  /// Of the left and the right half; nil: there is no picture.
  fileprivate var lumas: (UInt8, UInt8)? {
    switch self {
    case .shows(let luma): (luma, luma)
    case .halves(let luma): (luma, 235)
    case .fails, .lacksRoom, .hangs: nil
    }
  }
}
