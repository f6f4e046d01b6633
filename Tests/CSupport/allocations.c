// Counts a thread's allocations, by standing in front of glibc's.
#include "csupport.h"

#include <errno.h>
#include <stddef.h>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

void support_count_allocations(void) {}
long support_allocations(void) { return -1; }

#else

static _Thread_local int is_counting;
static _Thread_local long allocations;

void support_count_allocations(void) {
  allocations = 0;
  is_counting = 1;
}

long support_allocations(void) {
  is_counting = 0;
  return allocations;
}

static void count(void) { allocations += is_counting; }

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

#endif
