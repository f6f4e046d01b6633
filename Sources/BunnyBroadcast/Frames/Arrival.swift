import BunnyCapture
import BunnyMedia
import BunnySystem

extension VideoLane {
  /// What comes, and the moment it reached this program.
  struct Arrival: Sendable {
    enum Content: Sendable {
      case picture(Picture)
      /// The camera's own H.264; the first one, and the first after others, is a keyframe.
      case coded(AccessUnit)
      /// The camera is lost, and the last picture is to stay.
      case hold
    }
    enum Origin: Sendable {
      /// It stands for one that did not come.
      case slate
      /// A sensor, which may be dead though it flows, or something else.
      case sensor, other
    }

    let content: Content
    let time: MonotonicTime
    /// How it is to be shown.
    var turn = PictureTurn.none
    var origin = Origin.slate

    /// When it was captured.
    var captured: MonotonicTime {
      switch content {
      case .picture(let picture): picture.time
      case .coded(let unit): unit.time
      case .hold: time
      }
    }
  }
}
