// Counts a thread's allocations.
#define _GNU_SOURCE
#include "csupport.h"

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

void support_count_allocations(void) {}
long support_allocations(void) { return -1; }
long support_allocations_of_libraries(void) { return -1; }

#else

#include "malloc_front.h"

#include <pthread.h>

static _Thread_local int is_counting;
static _Thread_local long allocations, of_libraries;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void support_count_allocations(void) {
  pthread_once(&once, find_libraries);
  allocations = of_libraries = 0;
  is_counting = 1;
}

long support_allocations(void) {
  is_counting = 0;
  return allocations;
}

long support_allocations_of_libraries(void) {
  is_counting = 0;
  return of_libraries;
}

static void count(void *caller) {
  if (!is_counting) return;
  allocations++;
  of_libraries += is_of_library(caller);
}

#endif
