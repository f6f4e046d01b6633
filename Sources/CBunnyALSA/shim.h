// What Swift needs of ALSA, and what its importer cannot make: a callback with variable arguments.
#pragma once

// Else `timespec` and `pollfd` would be this module's, and missed by files that import only Glibc.
#pragma clang module import SwiftGlibc
#include <alsa/asoundlib.h>

static inline void bunny_alsa_say_nothing(const char *file, int line, const char *function,
                                          int error, const char *format, va_list arguments) {}

// ALSA prints its errors to standard error. These two keep the calling thread's, and no other's, from
// that; the second takes back what the first returned.
static inline void *bunny_alsa_hush(void) {
  return (void *)snd_lib_error_set_local(bunny_alsa_say_nothing);
}
static inline void bunny_alsa_end_hush(void *before) {
  snd_lib_error_set_local((snd_local_error_handler_t)before);
}
