import BunnyMedia
import CBunnyV4L2

/// One of a camera's controls, as its driver describes it.
struct CameraControl {
  let id: UInt32
  /// As `v4l2-ctl` writes it: `exposure_dynamic_framerate`.
  let name: String
  let least: Int
  let most: Int

  init(_ raw: v4l2_queryctrl) {
    id = raw.id
    name = Self.name(text(raw.name))
    let isButton = raw.type == V4L2_CTRL_TYPE_BUTTON.rawValue
    (least, most) = isButton ? (0, 1) : (Int(raw.minimum), Int(raw.maximum))
  }

  /// Lower case; what is neither letter nor digit is one underscore.
  static func name(_ words: String) -> String {
    let parts = words.lowercased().split { !$0.isLetter && !$0.isNumber }
    return parts.joined(separator: "_")
  }
}

extension V4L2Device {
  /// All that can be set.
  func controls() -> [CameraControl] {
    var controls: [CameraControl] = []
    var query = v4l2_queryctrl()
    let next = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
    query.id = next
    while controls.count < 1000, ask(bunny_vidioc_queryctrl, &query) == 0 {
      let unusable = V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_READ_ONLY
      let isHeading = query.type == V4L2_CTRL_TYPE_CTRL_CLASS.rawValue
      if !isHeading && query.flags & UInt32(unusable) == 0 { controls.append(CameraControl(query)) }
      query.id |= next
    }
    return controls
  }

  /// Asks a camera that codes its picture for what an ingest needs: a keyframe every two seconds with its
  /// parameter sets, no B-frames, and at most this bit rate. What it has no control for stays as it is: what
  /// comes is judged.
  func setCoder(bitrate: Int, _ rate: Timebase?) {
    let interval = Int32(((rate?.value ?? 30) * 2).rounded())
    let wishes = [
      (bunny_cid_bitrate, Int32(clamping: bitrate)), (bunny_cid_gop_size, interval),
      (bunny_cid_h264_period, interval), (bunny_cid_b_frames, 0), (bunny_cid_repeat_header, 1),
    ]
    for (id, value) in wishes where value > 0 || id == bunny_cid_b_frames {
      var control = v4l2_control(id: id, value: value)
      _ = ask(bunny_vidioc_s_ctrl, &control)
    }
  }

  /// In the order given: some can be set only once another has been.
  ///
  /// - Returns: why the driver did not set some of them; the camera works without.
  /// - Throws: what can never be set.
  func set(_ wanted: [CameraSettings.Control]) throws(CameraProblem) -> [CameraProblem] {
    guard !wanted.isEmpty else { return [] }
    var failures: [CameraProblem] = []
    let controls = controls()
    for wish in wanted {
      let name = CameraControl.name(wish.name)
      guard let control = controls.first(where: { $0.name == name }) else {
        throw .noControl(wish.name, offered: controls.map(\.name))
      }
      // Drivers would take the nearest value that they have, and say nothing.
      guard control.least <= Int(wish.value), Int(wish.value) <= control.most else {
        throw .controlRefused(
          name, value: Int(wish.value), takes: "\(control.least) to \(control.most)")
      }
      var value = v4l2_control(id: control.id, value: wish.value)
      let code = ask(bunny_vidioc_s_ctrl, &value)
      if code != 0 {
        failures.append(
          .controlFailed(name, value: Int(wish.value), reason: Self.words(code)))
      }
    }
    return failures
  }
}
