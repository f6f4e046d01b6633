// Counts a thread's allocations, by standing in front of glibc's.
#define _GNU_SOURCE
#include "csupport.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

void support_count_allocations(void) {}
long support_allocations(void) { return -1; }
long support_allocations_of_libraries(void) { return -1; }

#else

static _Thread_local int is_counting;
static _Thread_local long allocations, of_libraries;

// Where the code of FFmpeg, x264 and libjpeg-turbo lies.
static struct { uintptr_t begin, end; } libraries[64];
static int library_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int find(struct dl_phdr_info *info, size_t size, void *unused) {
  static const char *const names[] = {"/libav", "/libsw", "/libx264", "/libturbojpeg"};
  for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
    if (!strstr(info->dlpi_name, names[name]) || strstr(info->dlpi_name, "/libswift")) continue;
    for (int i = 0; i < info->dlpi_phnum && library_count < 64; i++) {
      if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
      uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      libraries[library_count].begin = begin;
      libraries[library_count++].end = begin + info->dlpi_phdr[i].p_memsz;
    }
  }
  (void)size, (void)unused;
  return 0;
}

static void find_libraries(void) { dl_iterate_phdr(find, NULL); }

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
  for (int i = 0; i < library_count; i++) {
    uintptr_t place = (uintptr_t)caller;
    of_libraries += place >= libraries[i].begin && place < libraries[i].end;
  }
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(__builtin_return_address(0));
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count(__builtin_return_address(0));
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

#endif
