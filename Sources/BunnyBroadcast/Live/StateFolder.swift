import Glibc

/// Where what is learnt about this machine is kept.
package enum StateFolder {
  package static let names = ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"]

  /// This process's.
  package static var own: String? {
    let found = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return path(Dictionary(uniqueKeysWithValues: found))
  }

  /// systemd's for a service, else the user's own; nil: there is none.
  package static func path(_ environment: [String: String]) -> String? {
    func folder(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    // A service may have several, with colons between.
    if let service = folder("STATE_DIRECTORY") {
      return service.split(separator: ":").first.map(String.init)
    }
    let user = folder("XDG_STATE_HOME") ?? folder("HOME").map { $0 + "/.local/state" }
    return user.map { $0 + "/bunny-broadcast" }
  }
}
