public import BunnyMedia
import BunnySystem
import Synchronization

/// Pictures that a program pushes: a ``PictureSource`` for those who would rather not write one.
///
/// They may come at any rate, of any size and format: the broadcast shows each in its place on its own
/// grid of frames, fitted, repeats the last one where none came, and leaves out what is too much. One feed
/// serves one broadcast at a time, again and again; pictures that come while none runs are thrown away.
public final class PictureFeed: Sendable {
  /// Nanoseconds: later, and its place is taken.
  fileprivate static let latest = Int64.milliseconds(100)

  /// A century at most: for ever.
  fileprivate static func nanoseconds(_ duration: Duration) -> Int64 {
    Int64(min(max(duration / .nanoseconds(1), 0), 3e18))
  }

  private let patience: Int64?
  private let taker = Taker<Picture>(capacity: 4)  // enough for a program that pushes in bursts

  /// - Parameter patience: after how long without a picture the slate is shown, and told of as the camera's
  ///   loss; nil: the last one stays for ever.
  public init(patience: Duration? = .seconds(5)) {
    self.patience = patience.map { Self.nanoseconds($0) }
  }

  /// Hands a picture to the broadcast that runs. Any thread; never waits.
  ///
  /// - Parameter picture: its time is its moment: `MonotonicTime.now` when it was made. Times rise. One that is
  ///   more than 100 ms off is shown as one of the moment in which it comes.
  public func push(_ picture: Picture) { taker.put(picture) }

  /// For `BroadcastConfiguration.ownPictures`: where a broadcast takes them from.
  public func source() -> any PictureSource {
    FedPictures(pictures: taker.renewed(), patience: patience)
  }
}

private struct FedPictures: PictureSource {
  let pictures: Mailbox<Picture>
  let patience: Int64?

  func next() throws -> Picture? {
    switch pictures.take(until: patience.map { .now + $0 } ?? .distantFuture) {
    case .element(let picture):
      let now = MonotonicTime.now
      return abs(now - picture.time) <= PictureFeed.latest ? picture : picture.stamped(now)
    case .closed: return nil
    case .timeout:
      let seconds = Double(patience ?? 0) / 1e9
      throw SourceError.lost(
        "the program", reason: "it has pushed no picture for \(Int(seconds.rounded())) s")
    }
  }

  func cancel() { pictures.close() }
}

/// Sound that a program pushes: a ``SampleSource`` for those who would rather not write one. Any sample
/// rate and one or two channels; where none comes there is silence. Otherwise as ``PictureFeed``.
public final class SampleFeed: Sendable {
  private static let furthest = Int64.seconds(1)

  private let tolerance: Int64
  private let taker = Taker<Samples>(capacity: 500)  // runs of 10 ms for five seconds

  /// - Parameter tolerance: how far the times of runs may be off what their lengths say before a gap is
  ///   filled or an overlap cut.
  public init(tolerance: Duration = .milliseconds(40)) {
    self.tolerance = PictureFeed.nanoseconds(tolerance)
  }

  /// Hands sound to the broadcast that runs. Any thread; never waits.
  ///
  /// - Parameter samples: its time is that of its first sample. Times rise. Sound that is pushed later than
  ///   150 ms is silence, what lies more than a second ahead is left out.
  public func push(_ samples: Samples) {
    if samples.time <= .now + Self.furthest { taker.put(samples) }
  }

  /// For `BroadcastConfiguration.ownSound`: where a broadcast takes it from.
  public func source() -> any SampleSource {
    FedSamples(samples: taker.renewed(), timeTolerance: tolerance)
  }
}

private struct FedSamples: SampleSource {
  let samples: Mailbox<Samples>
  let timeTolerance: Int64

  func next() throws -> Samples? {
    if case .element(let run) = samples.take(until: .distantFuture) { run } else { nil }
  }

  func cancel() { samples.close() }
}

/// The broadcast that takes what is pushed, if one does.
private final class Taker<Element: Sendable>: Sendable {
  private let capacity: Int
  private let mailbox = Mutex<Mailbox<Element>?>(nil)

  init(capacity: Int) { self.capacity = capacity }

  func put(_ element: Element) { _ = mailbox.withLock { $0 }?.put(element) }

  /// Where all that is pushed from now on goes.
  func renewed() -> Mailbox<Element> {
    let new = Mailbox<Element>(capacity: capacity)
    mailbox.withLock { $0 = new }
    return new
  }
}
