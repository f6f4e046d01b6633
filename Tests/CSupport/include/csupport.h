// System calls that only the tests' world needs, and that Swift's Glibc module lacks.
#pragma once

#include <stdint.h>

/// Puts the calling thread into a new network namespace. 0, or -1 and `errno`.
int support_leave_network(void);

/// Puts the calling thread into the network namespace behind a descriptor. 0, or -1 and `errno`.
int support_enter_network(int descriptor);

/// A new TUN device called `name` in the calling thread's network namespace, whose packets are read
/// and written one at a time without a header of their own; non-blocking, close-on-exec. It is gone
/// once the descriptor is closed. -1 and `errno` when there cannot be one.
int support_open_tun(const char *name);

/// Plugs a TUN device's cable in, or pulls it out.
int support_set_carrier(int tun, int is_there);

/// Has the calling thread run as soon as it wakes, before all that is not real-time; needs root.
void support_run_first(void);

/// `ppoll` for that many nanoseconds. `descriptors` is a `struct pollfd *`; with its header in here,
/// Swift would take that type for one of this module's.
int support_poll(void *descriptors, unsigned count, int64_t nanoseconds);
