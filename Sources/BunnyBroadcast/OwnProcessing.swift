import BunnyMedia

/// A program's own step between capture and encoder. Belongs to the thread that encodes.
struct OwnProcessing {
  private let process: (Picture) -> Picture
  private let notice: @Sendable (String) -> Void
  private var saidWhyNot = false

  init(_ process: @escaping (Picture) -> Picture, notice: @escaping @Sendable (String) -> Void) {
    (self.process, self.notice) = (process, notice)
  }

  /// - Returns: `picture` itself where what came of it cannot be encoded in its place.
  mutating func take(_ picture: Picture) -> Picture {
    let made = process(picture)
    if made.width == picture.width, made.height == picture.height, made.format == picture.format {
      return made
    }
    if !saidWhyNot {
      notice(
        "what the program makes of a picture is left out: it is \(made.format) "
          + "\(made.width)x\(made.height), and has to be \(picture.format) "
          + "\(picture.width)x\(picture.height)")
    }
    saidWhyNot = true
    return picture
  }
}
