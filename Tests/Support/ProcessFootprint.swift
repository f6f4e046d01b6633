public import Foundation

/// What a process holds at one moment.
public struct ProcessFootprint: Sendable, CustomStringConvertible {
  public let descriptors: Int
  public let threads: Int
  /// Resident.
  public let kilobytes: Int

  /// - Parameter process: nil: this one.
  public init(_ process: pid_t? = nil) throws {
    let folder = "/proc/\(process ?? getpid())"
    descriptors = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").count
    threads = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/task").count
    let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
    kilobytes = status.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Int($0.1) } ?? 0
  }

  /// The largest that it was, up to now, since the program was started; nil: it has ended.
  public static func peakKilobytes(of process: pid_t) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    else { return nil }
    return status.firstMatch(of: /VmHWM:\s+(\d+)/).flatMap { Int($0.1) }
  }

  public var description: String {
    "\(descriptors) descriptors, \(threads) threads, \(kilobytes) kB"
  }
}
