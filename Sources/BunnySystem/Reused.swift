import Synchronization

/// Objects that are used again when nobody else holds them any more, so that none costs an allocation once there are
/// as many as are held at a time. Belongs to one thread; the objects do not.
package struct Reused<Object: AnyObject> {
  /// The first that is free is taken, so that as few as can be are kept in the processor's caches.
  private var objects: [Object] = []
  private let most: Int

  /// - Parameter most: more are not kept: who holds on to as many gets new ones.
  package init(atMost most: Int = .max) { self.most = most }

  /// One that nobody holds, and that suits. Whoever let go of it last has read all of it.
  ///
  /// - Parameter suits: has no default, which would cost an allocation.
  package mutating func free(_ suits: (Object) -> Bool) -> Object? {
    for index in objects.indices where isKnownUniquelyReferenced(&objects[index]) {
      guard suits(objects[index]) else { continue }
      atomicMemoryFence(ordering: .acquiring)
      return objects[index]
    }
    return nil
  }

  /// A new one, to be used again later.
  package mutating func keep(_ object: Object) -> Object {
    if objects.count == most { objects.removeFirst() }
    objects.append(object)
    return object
  }
}
