// Tells the thread sanitizer what Swift's runtime does: see scripts/sanitize.
//
// Mutex: where nobody else holds it, Mutex is locked and unlocked in code that is compiled into ours, and
// which the sanitizer sees. Where somebody does, libswiftSynchronization takes over, which is not
// built for the sanitizer: these stand in front of its functions and add what happens there.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// The sanitizer's own. Not there in programs that are run without it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT _Bool try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
  SWIFT void (*next)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
  next(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT _Bool try_lock_slow(SELF void *mutex) {
  SWIFT _Bool (*next)(SELF void *) = dlsym(RTLD_NEXT, TRY_LOCK);
  _Bool is_locked = next(mutex);
  if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
  return is_locked;
}

SWIFT void unlock_slow(SELF void *mutex) {
  SWIFT void (*next)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(mutex);
  next(mutex);
}

// References: what is used again once nobody else holds it (`Reused`, `BytePool`) has been let go of by its
// last reader. The runtime counts with the order that this takes, and is not built for the sanitizer either.

void swift_release(void *object) {
  static void (*next)(void *);
  if (!next) next = dlsym(RTLD_NEXT, "swift_release");
  if (object && __tsan_release) __tsan_release(object);
  next(object);
}

_Bool swift_isUniquelyReferenced_native(const void *object) {
  static _Bool (*next)(const void *);
  if (!next) next = dlsym(RTLD_NEXT, "swift_isUniquelyReferenced_native");
  _Bool is_unique = next(object);
  if (is_unique && object && __tsan_acquire) __tsan_acquire((void *)object);
  return is_unique;
}
