public import BunnyMedia

/// Where pictures come from: a camera, a file, a screen, a test picture. One that is lost opens
/// itself again in the next ``next()``.
public protocol PictureSource: Sendable {
  /// Waits for the next picture. Called by one thread, the source's capture thread.
  ///
  /// - Returns: nil when the source has ended for good, or was cancelled.
  /// - Throws: ``SourceError``: it is lost.
  func next() throws -> Picture?

  /// Makes ``next()`` return nil soon. From any thread.
  func cancel()

  /// One for the same device that has opened nothing, to be used where a call of this one does not
  /// return; nil: its calls return. From any thread.
  func renewed() -> (any PictureSource)?

  /// The USB device that it is a part of, where it is one's, and is known. From any thread.
  var usbDevice: USBIdentity? { get }

  /// A picture of it that stands still, or has one colour, is a fault: it comes from a sensor.
  var isWatched: Bool { get }

  /// Makes the next ``next()`` let go of the device and open it anew. From any thread.
  ///
  /// - Returns: false where that is nothing that would help.
  func reopen() -> Bool
}

/// What a camera delivers.
package enum Captured: Sendable {
  case picture(Picture)
  /// As the camera has coded it, from a keyframe on.
  case coded(AccessUnit)
}

/// A source that can hand on what the camera has coded itself.
package protocol CodedPictureSource: PictureSource {
  /// As ``PictureSource/next()``, which leaves out what is coded.
  func nextCaptured() throws -> Captured?

  /// The next coded picture should be a keyframe, if the camera takes wishes. From any thread.
  func wantKeyframe()
}

extension CodedPictureSource {
  package func wantKeyframe() {}

  package func nextDecoded() throws -> Picture? {
    while let captured = try nextCaptured() {
      if case .picture(let picture) = captured { return picture }
    }
    return nil
  }
}

extension PictureSource {
  /// What comes next, coded where it can be handed on so.
  package func captured() throws -> Captured? {
    if let coded = self as? any CodedPictureSource { return try coded.nextCaptured() }
    return try next().map { .picture($0) }
  }
}

/// Where sound comes from.
public protocol SampleSource: Sendable {
  /// Waits for the next run of samples. Called by one thread, the source's capture thread.
  ///
  /// - Returns: nil when the source has ended for good, or was cancelled.
  /// - Throws: ``SourceError``: it is lost.
  func next() throws -> Samples?

  /// Makes ``next()`` return nil soon. From any thread.
  func cancel()

  /// As of a ``PictureSource``.
  func renewed() -> (any SampleSource)?

  /// As of a ``PictureSource``.
  var usbDevice: USBIdentity? { get }

  /// Silence of it is a fault: it comes from a microphone.
  var isWatched: Bool { get }

  /// Finds out what keeps it from being heard, on another thread. From any thread.
  ///
  /// - Parameter tell: is told, in words that say what to do; not, where nothing is known.
  func explainSilence(_ tell: @escaping @Sendable (String) -> Void)

  /// How far, in nanoseconds, the times of its samples may be off what their count says before
  /// there is a gap or an overlap to mend.
  var timeTolerance: Int64 { get }
}

extension PictureSource {
  public func renewed() -> (any PictureSource)? { nil }
  public var usbDevice: USBIdentity? { nil }
  public var isWatched: Bool { false }
  public func reopen() -> Bool { false }
}

extension SampleSource {
  public func renewed() -> (any SampleSource)? { nil }
  public var usbDevice: USBIdentity? { nil }
  public var isWatched: Bool { false }
  public func explainSilence(_ tell: @escaping @Sendable (String) -> Void) {}
}
