// Counts the allocations of all threads of the process that this is preloaded into, in a file that others may
// read meanwhile: two numbers of 64 bits, first what libraries have asked for, then what the rest has: this
// program and Swift's runtime for it.
#include "../CSupport/malloc_front.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t *counts;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("ALLOCATIONS_FILE");
  if (!path) return;
  find_libraries();
  int file = open(path, O_RDWR | O_CLOEXEC);
  void *memory = file < 0 ? MAP_FAILED : mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) abort();
  close(file);
  counts = memory;
}

static void count(void *caller) {
  if (!counts) return;
  atomic_fetch_add_explicit(&counts[!is_of_library(caller)], 1, memory_order_relaxed);
}
