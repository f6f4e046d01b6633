public import Glibc

/// A set of signals for `sigwait` or a mask: those of `numbers` that the process does not ignore. What
/// was ignored when it began (`nohup`, a shell's background) is to stay ignored.
public func unignoredSignals(_ numbers: [Int32]) -> sigset_t {
  var set = sigset_t()
  sigemptyset(&set)
  for number in numbers where !isIgnored(number) { sigaddset(&set, number) }
  return set
}

private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  sigaction(number, nil, &action)
  let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  return handler == unsafeBitCast(SIG_IGN, to: Int.self)
}
