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

/// Begins to count what the calling thread allocates, from 0.
void support_count_allocations(void);

/// Ends it: how often the thread called malloc and its like; -1 where a sanitizer has put its own in
/// their place.
long support_allocations(void);

/// Begins to count the video encoders that the calling thread opens, from 0.
void support_count_encoders(void);

/// How many were open at once, at most.
int support_most_encoders(void);

/// How many are.
int support_open_encoders(void);

/// The same of those that FFmpeg's libraries, x264 and libjpeg-turbo called for, whoever had called them.
long support_allocations_of_libraries(void);

/// How the ffmpeg command makes one picture one of another size in BT.709 limited, on one thread:
/// its JPEG decoder, and libswscale with the settings that it has there.
struct support_ffmpeg_way;

/// `format` is FFmpeg's name of a pixel format, BT.601 limited, whose planes follow each other; or `jpeg`,
/// 4:2:2. NULL where FFmpeg refuses.
struct support_ffmpeg_way *support_ffmpeg_way_new(const char *format, const uint8_t *bytes,
                                                  int count, int width, int height, int to_width,
                                                  int to_height);

/// Converts it once more. 0 or -1.
int support_ffmpeg_way_convert(struct support_ffmpeg_way *way);

void support_ffmpeg_way_free(struct support_ffmpeg_way *way);
