package import BunnyRTMP
import BunnySystem

/// A resolver that is told what to do; it has nothing else to say.
package final class ScriptedResolver: Sendable {
  package enum Behaviour: Sendable {
    case answer([SocketAddress])
    case fail
    case stall
    /// Answers late.
    case answerAfter(seconds: Double, [SocketAddress])
  }

  package let behaviour: Watched<Behaviour>
  package let questions = Watched(0)

  package init(_ behaviour: Behaviour) { self.behaviour = Watched(behaviour) }

  /// A book that asks it.
  package var book: AddressBook {
    AddressBook { [behaviour, questions] _, _ in
      questions.change { $0 += 1 }
      switch behaviour.current {
      case .answer(let addresses): return .addresses(addresses)
      case .fail: return .failure("Temporary failure in name resolution")
      case .stall:
        WakeEvent().wait(until: .now + .seconds(60))  // longer than any test here
        return .failure("the test is over")
      case .answerAfter(let seconds, let addresses):
        WakeEvent().wait(until: .now + .seconds(seconds))
        return .addresses(addresses)
      }
    }
  }
}
