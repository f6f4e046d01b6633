import BunnySystem
import Glibc

/// A `/dev/video` node as sysfs and `/dev` tell of it. Nothing is opened for it: a driver that hangs, and a
/// camera that sleeps, are left in peace.
struct ListedNode {
  let path: String
  /// What its driver calls it, mostly the camera's name.
  let name: String
  let usb: USBIdentity?
  /// As in ``VideoNode``.
  let links: [String]
  let index: Int

  /// Every node of this machine, by number.
  static func all() -> [ListedNode] {
    let names = SystemFiles.names(in: "/sys/class/video4linux").filter { $0.hasPrefix("video") }
    let numbers = names.compactMap { Int($0.dropFirst(5)) }.sorted()
    let links = ["/dev/v4l/by-id", "/dev/v4l/by-path"].flatMap { folder in
      SystemFiles.names(in: folder).sorted().map { "\(folder)/\($0)" }
    }
    let targets = links.map { (link: $0, path: SystemFiles.realPath($0)) }
    return numbers.map { number in
      let path = "/dev/video\(number)"
      return ListedNode(path, links: targets.filter { $0.path == path }.map(\.link))
    }
  }

  private init(_ path: String, links: [String]) {
    let folder = "/sys/class/video4linux/\(path.dropFirst(5))"
    self.path = path
    self.links = links
    name = SystemFiles.text("\(folder)/name") ?? path
    usb = USBIdentity(ofDeviceAt: "\(folder)/device")
    index = SystemFiles.text("\(folder)/index").flatMap { Int($0) } ?? 0
  }

  /// Whether it may be `known`, as far as can be said without opening it.
  func mayBe(_ known: VideoNode) -> Bool {
    guard index == known.index else { return false }
    guard let usb, let other = known.usb else { return self.usb == nil && known.usb == nil }
    return usb.isSameDevice(as: other)
  }
}

extension ListedNode: CustomStringConvertible {
  /// `/dev/video0 (HD Pro Webcam C920)`.
  var description: String { "\(path) (\(name))" }
}
