public import BunnyMedia

/// Where pictures come from: a file, a screen, a test picture; later a camera.
public protocol PictureSource: Sendable {
  /// Waits for the next picture. Called by one thread, the source's capture thread.
  ///
  /// - Returns: nil when the source has ended for good, or was cancelled.
  /// - Throws: ``SourceError``: it is lost.
  func next() throws -> Picture?

  /// Makes ``next()`` return nil soon. From any thread.
  func cancel()
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

  /// How far, in nanoseconds, the times of its samples may be off what their count says before
  /// there is a gap or an overlap to mend.
  var timeTolerance: Int64 { get }
}
