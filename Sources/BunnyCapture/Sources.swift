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
}

extension CodedPictureSource {
  package func nextDecoded() throws -> Picture? {
    while let captured = try nextCaptured() {
      if case .picture(let picture) = captured { return picture }
    }
    return nil
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

  /// How far, in nanoseconds, the times of its samples may be off what their count says before
  /// there is a gap or an overlap to mend.
  var timeTolerance: Int64 { get }
}

extension PictureSource {
  public func renewed() -> (any PictureSource)? { nil }
}

extension SampleSource {
  public func renewed() -> (any SampleSource)? { nil }
}
