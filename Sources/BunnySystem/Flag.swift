import Synchronization

/// A yes or no that several threads read and set.
public final class Flag: Sendable {
  private let value: Atomic<Bool>

  public init(_ value: Bool = false) { self.value = Atomic(value) }

  public var isSet: Bool {
    get { value.load(ordering: .acquiring) }
    set { value.store(newValue, ordering: .releasing) }
  }
}
