package import BunnySystem

/// Cuts H.264 in Annex B, as it comes in pieces of any length, into access units: all that belongs to
/// one picture. Reads nothing.
///
/// That a picture is whole is known only when the next one begins. But a writer most of whose pieces
/// have ended where a picture does may be believed that a pause does too: then no picture is held back.
package struct AnnexBCutter {
  /// Is handed a unit's bytes, with start codes, while it runs, and when the first of them came.
  package typealias Take = (UnsafeBufferPointer<UInt8>, MonotonicTime) -> Void

  /// How long a pause is, nanoseconds.
  package static let pause: Int64 = .milliseconds(10)
  /// After so many pictures that ended where a piece did, the writer is believed.
  package static let proof = 8
  /// Bytes of one picture; what is longer is none.
  package static let longest = 16 << 20

  /// What was no H.264, or is known to have been torn: how many times.
  package private(set) var faults = 0
  /// What may be a whole unit.
  private var pending: [UInt8] = []
  private var began = MonotonicTime(nanoseconds: 0)
  /// Where the search for start codes goes on.
  private var searched = 0
  /// `pending` begins with a start code.
  private var hasStart = false
  /// `pending` holds a slice.
  private var hasSlice = false
  private var proofs = 0
  /// The last unit was handed out because of a pause.
  private var wasPaused = false
  private var isDistrusted = false

  package init() {}

  /// Hands out the units that are whole by now.
  package mutating func take(
    _ piece: some Collection<UInt8>, at time: MonotonicTime, _ take: Take
  ) {
    guard !piece.isEmpty else { return }
    if pending.isEmpty { began = time }
    let border = pending.count
    pending += piece
    var cut = 0
    var firstCut: Int?
    while true {
      guard let start = startCode(from: searched) else {
        searched = max(searched, pending.count - 2)
        break
      }
      guard start + 4 < pending.count else { break }
      searched = start + 3
      let zero = start > cut && pending[start - 1] == 0 ? start - 1 : start
      if !hasStart {
        if pending[cut..<zero].contains(where: { $0 != 0 }) { faults += 1 }
        (cut, hasStart) = (zero, true)
        began = zero >= border ? time : began
        firstCut = firstCut ?? zero
      } else if hasSlice && beginsPicture(at: start) {
        hand(cut..<zero, take)
        (cut, hasSlice, began) = (zero, false, time)
        firstCut = firstCut ?? zero
      }
      if isSlice(at: start) { hasSlice = true }
    }
    note(firstCut: firstCut, border: border)
    pending.removeFirst(cut)
    searched = max(0, searched - cut)
    forgetNonsense()
  }

  /// Nothing has come for ``pause``: hands out the unit that is whole by now, if its writer is believed.
  package mutating func paused(_ take: Take) {
    guard hasSlice, proofs >= Self.proof, !isDistrusted else { return }
    wasPaused = true
    hand(pending.indices, take)
    forget()
  }

  /// Nothing follows: hands out what may be the half of a picture.
  package mutating func end(_ take: Take) {
    guard hasSlice else { return }
    hand(pending.indices, take)
    forget()
  }

  private func hand(_ unit: Range<Int>, _ take: Take) {
    pending.withUnsafeBufferPointer { take(UnsafeBufferPointer(rebasing: $0[unit]), began) }
  }

  private mutating func forget() {
    pending.removeAll(keepingCapacity: true)
    (searched, hasStart, hasSlice) = (0, false, false)
  }

  /// - Parameters:
  ///   - firstCut: where the first picture of a piece begins.
  ///   - border: where the piece does.
  private mutating func note(firstCut: Int?, border: Int) {
    if wasPaused && (firstCut != 0 || !beginsPicture(at: startCode(from: 0) ?? 0)) {
      isDistrusted = true  // it went on with what had been taken for whole
      faults += 1
    }
    wasPaused = false
    guard let firstCut else { return }
    proofs = firstCut == border ? proofs + 1 : 0
  }

  private mutating func forgetNonsense() {
    if !hasStart && pending.count > 5 {
      pending.removeFirst(pending.count - 5)  // which may be a start code
      searched = 0
      faults += 1
    } else if pending.count > Self.longest {
      forget()
      faults += 1
    }
  }

  /// The place of the next `00 00 01`.
  private func startCode(from place: Int) -> Int? {
    pending.withUnsafeBufferPointer { AnnexB.startCode(in: $0, from: place) }
  }

  private func isSlice(at start: Int) -> Bool { [1, 2, 5].contains(pending[start + 3] & 0x1F) }

  /// Whether what lies behind this start code is the first of a picture, by 7.4.1.2.3 of the standard.
  private func beginsPicture(at start: Int) -> Bool {
    guard start + 4 < pending.count else { return false }
    switch pending[start + 3] & 0x1F {
    case 1, 2, 5: return pending[start + 4] & 0x80 != 0  // its first macroblock is number 0
    case 6...9, 14...18: return true
    default: return false
    }
  }
}
