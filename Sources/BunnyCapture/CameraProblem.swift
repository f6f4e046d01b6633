/// Why a camera cannot be used, or was lost. Its words follow the camera's name.
public enum CameraProblem: Error, Equatable, Sendable {
  /// There is none by that name; these there are.
  case missing(offered: [String])
  /// This machine has no camera; what its nodes are instead.
  case noCamera([String])
  /// The node is no camera: what it is, and what to do.
  case noCameraNode(String)
  /// Several go by that name.
  case ambiguous([String])
  /// This user may not open it.
  case forbidden
  /// Another program holds it: its name and process, where `/proc` tells.
  case busy(holder: String?)
  /// This broadcast holds it itself, by another of its names.
  case onAir
  /// The bus it is plugged into carries none of its modes; the last one that was tried.
  case noRoom(tried: String)
  /// It has no such format, size or rate; it has these.
  case modeNotOffered(asked: String, offered: String)
  /// The driver would not be set up so.
  case modeRefused(String, reason: String)
  /// It has no such control; it has these.
  case noControl(String, offered: [String])
  /// The control does not take that value.
  case controlRefused(String, value: Int, takes: String)
  /// The driver did not set the control, though it has it.
  case controlFailed(String, value: Int, reason: String)
  /// It was unplugged.
  case unplugged
  /// No frame came, for so many milliseconds.
  case silent(milliseconds: Int)
  /// No frame that came was whole, for so many milliseconds.
  case broken(milliseconds: Int)
  /// A call failed.
  case failed(call: String, reason: String)
}

extension CameraProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let offered) where offered.isEmpty: "does not exist, and no other camera does"
    case .missing(let offered): "does not exist; there is \(offered.joined(separator: ", "))"
    case .noCamera(let nodes) where nodes.isEmpty:
      "is not there: no camera is plugged in; plug one in, or give --video file:PATH or test"
    case .noCamera(let nodes): "is not there: \(nodes.joined(separator: ". "))"
    case .noCameraNode(let advice): "is no camera: \(advice)"
    case .ambiguous(let cameras):
      "may be any of \(cameras.joined(separator: ", ")); give the path, or "
        + "v4l2:VENDOR:PRODUCT:SERIAL"
    case .forbidden:
      "may not be opened by this user; add the user to the group video"
    case .busy(let holder):
      "is held by \(holder ?? "another program"); end that, or choose another camera"
    case .onAir: "is on air already, by another name; choose another camera"
    case .noRoom(let tried):
      "does not fit on its USB bus, not even with \(tried); plug it into another port"
    case .modeNotOffered(let asked, let offered): "cannot do \(asked); it offers \(offered)"
    case .modeRefused(let mode, let reason):
      "offers \(mode) and refuses it: \(reason); try another --camera-format or --camera-size"
    case .noControl(let name, let offered):
      "has no control \(name); it has \(offered.isEmpty ? "none" : offered.joined(separator: ", "))"
    case .controlRefused(let name, let value, let takes):
      "does not take \(name)=\(value); it takes \(takes)"
    case .controlFailed(let name, let value, let reason):
      "did not set \(name)=\(value): \(reason); it goes on without"
    case .unplugged: "was unplugged"
    case .silent(let milliseconds): "delivered no frame for \(milliseconds) ms"
    case .broken(let milliseconds): "delivered only broken frames for \(milliseconds) ms"
    case .failed(let call, let reason): "failed at \(call): \(reason)"
    }
  }

  /// Why `mode` cannot be had, in words that follow the camera's name.
  func words(of mode: CameraMode) -> String {
    if case .noRoom = self { return "has no room for \(mode) on its USB bus" }
    return "\(self)"
  }

  /// What was asked of it cannot be, whenever it is asked.
  package var isUsage: Bool {
    switch self {
    case .ambiguous, .modeNotOffered, .noControl, .controlRefused: true
    case .missing, .noCamera, .noCameraNode, .forbidden, .busy, .onAir, .noRoom, .modeRefused,
      .controlFailed, .unplugged, .silent, .broken, .failed:
      false
    }
  }
}
