import Glibc

/// The system's words for an error number. Any thread.
package func systemWords(_ error: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  guard strerror_r(error, &text, text.count) == 0 else { return "error \(error)" }
  return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
