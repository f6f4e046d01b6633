// System calls that Swift's Glibc module lacks, or whose headers clash with it; and what is faster in C.
#pragma once

#include "bunny_colour.h"

#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>

/// Names the calling thread, as `top -H` and `comm` show it; 15 bytes at most.
void bunny_name_this_thread(const char *name);

/// Asks the scheduler for turns of that many nanoseconds (100 000 at least) for the calling thread.
/// Needs no privilege; Linux before 6.12 takes no notice.
void bunny_take_turns_of(uint64_t nanoseconds);

/// Puts the Swift runtime's crash handlers back to the system's, so that a trap prints no registers
/// and no memory, and makes the process undumpable: no core file, no reading of its memory by others.
void bunny_keep_secrets_on_crash(void);

/// Has all threads share two heaps. By itself glibc gives nearly each its own (up to eight a
/// processor), and what one of them has freed is of no use to the others.
void bunny_share_heaps(void);

/// A new non-blocking, close-on-exec `eventfd`, or -1.
int bunny_eventfd(void);

/// A pipe whose ends are closed on exec, or -1.
int bunny_pipe(int ends[2]);

/// Has the child of a `posix_spawn` start in `path`. `actions` is a `posix_spawn_file_actions_t *`.
int bunny_spawn_in_directory(void *actions, const char *path);

/// Moves whole pages to where others are, which are gone at that moment: who reads there notices nothing
/// but what the pages hold. 0 or -1.
int bunny_move_pages(void *from, void *to, size_t size);

/// A new non-blocking, close-on-exec netlink socket that is told of changes to links and addresses in
/// the calling thread's network namespace; -1 where the kernel has or gives none.
int bunny_link_socket(void);

/// Asks on such a socket for all that there is: `RTM_GETLINK` or `RTM_GETADDR`. One at a time. 0 or -1.
int bunny_ask_for_links(int link_socket, uint16_t question);
