/// What `bunny-bench` was asked for.
struct BenchOptions {
  /// Of media in one run.
  var seconds = 15
  /// How often each command runs; the medians are shown.
  var rounds = 3

  static let help = """
    usage: scripts/bench [--seconds N] [--rounds N]

    Compares `bunny-broadcast publish` with the `ffmpeg` command in one go: the same file, the
    same x264 and AAC settings (what x264 says of them in its first frame must be equal, letter
    by letter), each to an RTMP ingest in this process. They take turns, N rounds of 720p30 and
    1080p30; each line shows the medians.

      --seconds N   of media in one run, 5 to 28 (15)
      --rounds N    how often each runs, 1 to 99 (3)

    How to read the table:

      CPU             seconds of user and system time of the process for the whole run
      peak memory     the largest resident size, in MB
      first keyframe  from exec to the first keyframe's last byte at the ingest, in ms; once with
                      the quality's look-ahead of 10 pictures (333 ms of it is that look-ahead,
                      and x264's frame threads hold back some more), once without any
      handling        from a picture's arrival to its last byte in the socket, in ms, encoding
                      (also the wait for the picture before it to be encoded) and interleaving
                      left out: bunny-broadcast's own count, in its `ended` event

    "held" says whether ours is within the goal. Speed is judged by the ratio to ffmpeg's in the
    same run only; milliseconds are those of this machine. Have nothing else running: both are
    slower and less even beside other work; a warning says so when there was some.

    The result is 0 when every goal is held, 1 when one is missed, 69 when something that is
    needed is not there, 70 when the two did not do the same. Ctrl-C ends it and leaves nothing
    behind but the clips in .cache/.
    """

  /// - Throws: ``BenchFailure`` with status 64.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--seconds": seconds = try Self.number(name, rest.popFirst(), 5...28)
      case "--rounds": rounds = try Self.number(name, rest.popFirst(), 1...99)
      default: throw BenchFailure(64, "\(name) is no option; see scripts/bench --help")
      }
    }
  }

  private static func number(
    _ name: String, _ text: String?, _ range: ClosedRange<Int>
  ) throws -> Int {
    guard let number = text.flatMap(Int.init), range.contains(number) else {
      throw BenchFailure(
        64, "\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

/// Why there is no result.
struct BenchFailure: Error {
  let status: Int32
  let sentence: String

  init(_ status: Int32, _ sentence: String) {
    self.status = status
    self.sentence = sentence
  }
}
