import Foundation

/// A terminal that a test sits at.
struct PseudoTerminal {
  /// The test's end; whoever holds it closes it.
  let master: Int32
  /// The other end, for the command.
  let path: String

  // What `unlockpt` and `ptsname` do, which Swift does not import: TIOCSPTLCK, TIOCGPTN.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430

  init(columns: UInt16) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size: [UInt16] = [24, columns, 0, 0]  // a `winsize`: rows, columns, and pixels of both
    var (locked, number): (Int32, UInt32) = (0, 0)
    guard master >= 0, ioctl(master, Self.unlock, &locked) == 0,
      ioctl(master, Self.number, &number) == 0, ioctl(master, UInt(TIOCSWINSZ), &size) == 0
    else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    path = "/dev/pts/\(number)"
  }
}
