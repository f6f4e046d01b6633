import Glibc

/// A shared library that is loaded only when it is needed, and then stays.
struct DynamicLibrary: Sendable {
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  /// - Parameter name: as the dynamic linker finds it: `libavfilter.so.8`.
  /// - Returns: nil when this machine does not have it.
  init?(_ name: String) {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = handle
  }

  /// The function `name`, whose C type the caller vouches for.
  func function<Function>(_ name: String, as type: Function.Type = Function.self) -> Function {
    guard let address = dlsym(handle, name) else {
      preconditionFailure("\(name) is missing from its library")
    }
    return unsafeBitCast(address, to: type)
  }
}
