import BunnyRTMP
import Glibc

// What scripts/fuzz feeds with a fuzzer's bytes. Nothing may trap, whatever comes.

/// The parsers, by the names of their corpora.
enum Target: String {
  case amf0, chunks, handshake, commands

  /// The one that the environment names.
  static let chosen: Target = {
    guard let name = getenv("BUNNY_FUZZ_TARGET").map({ String(cString: $0) }),
      let target = Target(rawValue: name)
    else { fatalError("BUNNY_FUZZ_TARGET names no target") }
    return target
  }()

  func feed(_ bytes: [UInt8]) {
    switch self {
    case .amf0:
      if let values = try? AMF0Value.decode(bytes) { _ = AMF0Value.encode(values) }
    case .chunks:
      var reader = ChunkReader()
      reader.append(bytes)
      while (try? reader.next()) != nil {}
    case .handshake:
      var handshake = Handshake()
      for start in stride(from: 0, to: bytes.count, by: 700) {
        guard (try? handshake.receive(bytes[start..<min(bytes.count, start + 700)])) != nil else {
          return
        }
      }
    case .commands: feedSession(bytes)
    }
  }

  /// As an established server's: after a handshake of ours, so that every byte is a chunk's.
  private func feedSession(_ bytes: [UInt8]) {
    guard let ingest = try? Ingest("rtmp://host/live/key") else { return }
    var session = PublishSession(to: ingest)
    session.publish()
    guard (try? session.receive(Self.serverHandshake[...])) != nil else { return }
    for start in stride(from: 0, to: bytes.count, by: 97) {
      let piece = bytes[start..<min(bytes.count, start + 97)]
      guard (try? session.receive(piece)) != nil else { break }
      _ = (session.takeOutgoing(), session.takeEvents())
    }
    session.close()
  }

  private static let serverHandshake =
    [3] + [UInt8](repeating: 1, count: 2 * Handshake.size)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  Target.chosen.feed(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
