import BunnyBroadcast

/// Arguments taken apart by a subcommand's options, nothing understood yet.
struct Arguments {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]
  private var switches: Set<String> = []

  /// - Parameter arguments: what follows the subcommand.
  init(_ arguments: some Sequence<String>, of subcommand: Subcommand) throws(CommandError) {
    var rest = Array(arguments)[...]
    var onlyOperands = false
    var position = 1  // the subcommand is the first
    while let argument = rest.popFirst() {
      position += 1
      if argument == "--" && !onlyOperands {
        onlyOperands = true
      } else if onlyOperands || !argument.hasPrefix("-") || argument == "-" {
        guard subcommand.operand != nil else { throw Self.stray(position, subcommand) }
        operands.append(argument)
      } else {
        let before = rest.count
        try take(argument, from: &rest, of: subcommand, at: position)
        position += before - rest.count
      }
    }
  }

  func has(_ name: String) -> Bool { switches.contains(name) }
  func value(_ name: String) -> String? { values[name]?.first }
  /// Of an option that may be given several times, in order.
  func values(_ name: String) -> [String] { values[name] ?? [] }

  private mutating func take(
    _ argument: String, from rest: inout ArraySlice<String>, of subcommand: Subcommand,
    at position: Int
  ) throws(CommandError) {
    let name = argument == "-h" ? "--help" : String(argument.prefix { $0 != "=" })
    let attached = argument.firstIndex(of: "=").map {
      String(argument[argument.index(after: $0)...])
    }
    guard let option = subcommand.options.first(where: { $0.name == name }) else {
      throw Self.unknown(name, subcommand, position)
    }
    guard self.values(name).count < option.most, !switches.contains(name) else {
      throw CommandError(
        .usage,
        option.most == 1
          ? "\(name) is given twice; give it once"
          : "\(name) is given more than \(option.most) times; leave some out")
    }
    guard let placeholder = option.value else {
      guard attached == nil else {
        throw CommandError(.usage, "\(name) takes no value; write it alone")
      }
      switches.insert(name)
      return
    }
    let following = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
    guard let value = attached ?? following, !value.isEmpty else {
      throw CommandError(.usage, "\(name) needs a value; write \(name) \(placeholder)")
    }
    if attached == nil { rest.removeFirst() }
    guard !self.values(name).contains(value) else {
      throw CommandError(.usage, "\(name) names the same thing twice; name it once")
    }
    values[name, default: []].append(value)
  }

  /// Shows no argument that may be a mislaid stream key: only what looks like an option's name.
  private static func unknown(
    _ name: String, _ subcommand: Subcommand, _ position: Int
  ) -> CommandError {
    let looksLikeName =
      name.count <= 24
      && name.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D }
    let shown = looksLikeName ? name : "argument \(position)"
    let names = subcommand.options.map(\.name)
    let hint = didYouMean(name, among: names)
    let place = subcommand == .live ? "here" : "of \(subcommand.rawValue)"
    return CommandError(
      .usage,
      "\(shown) is no option \(place)"
        + (hint.isEmpty ? "; `bunny-broadcast \(subcommand.rawValue) --help` lists them" : hint))
  }

  private static func stray(_ position: Int, _ subcommand: Subcommand) -> CommandError {
    let options = subcommand.options.filter { $0.name != "--help" }.map {
      $0.value == nil ? $0.name : "\($0.name) \($0.value!)"
    }
    return CommandError(
      .usage,
      "argument \(position) is stray: \(subcommand.rawValue) takes options only, such as "
        + options[0])
  }
}
