/// A bar that wanders over a changing ground: what a program may draw itself.
public struct Animation: Sendable {
  /// Pixels.
  public let width: Int
  /// Pixels.
  public let height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// One frame: four bytes a pixel, blue, green, red, and one that means nothing.
  public func frame(_ number: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: width * height * 4)
    let bar = number * 4 % width
    for row in 0..<height {
      for column in 0..<width {
        let pixel = (row * width + column) * 4
        let isBar = (bar..<bar + 16).contains(column)
        bytes[pixel] = isBar ? 255 : UInt8((number + row) & 127)
        bytes[pixel + 1] = isBar ? 255 : 40
        bytes[pixel + 2] = isBar ? 255 : UInt8(column & 127)
      }
    }
    return bytes
  }
}
