import Glibc

/// libx264 itself, which libavcodec has loaded: what it says of its options before anything is encoded.
package enum X264 {
  /// Bytes; its own settings take about one thousand.
  private static let room = 1 << 16

  private typealias Fill = @convention(c) (UnsafeMutableRawPointer) -> Void
  private typealias Parse =
    @convention(c) (
      UnsafeMutableRawPointer, UnsafePointer<CChar>, UnsafePointer<CChar>
    ) -> Int32

  /// - Returns: Whether it takes this value of this option. Costs microseconds. True where this libavcodec has
  ///   it built in, and it cannot be asked.
  package static func takes(_ value: String, of name: String) -> Bool {
    guard let fill = dlsym(nil, "x264_param_default"), let parse = dlsym(nil, "x264_param_parse")
    else { return true }
    let settings = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
    defer { settings.deallocate() }
    unsafeBitCast(fill, to: Fill.self)(settings)
    let code = unsafeBitCast(parse, to: Parse.self)(settings, name, value)
    // It keeps copies of some values.
    if let free = dlsym(nil, "x264_param_cleanup") { unsafeBitCast(free, to: Fill.self)(settings) }
    return code == 0
  }
}
