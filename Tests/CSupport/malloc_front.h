// Stands in front of glibc's malloc and its like, and tells what calls them: included where they are counted.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Where the code of the libraries lies whose allocations are theirs.
static struct { uintptr_t begin, end; } libraries[64];
static int library_count;

static int find_library(struct dl_phdr_info *info, size_t size, void *unused) {
  static const char *const names[] = {"/libav", "/libsw", "/libx264", "/libturbojpeg", "/libjpeg",
                                      "/libasound", "/libssl", "/libcrypto"};
  (void)size, (void)unused;
  for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
    if (!strstr(info->dlpi_name, names[name]) || strstr(info->dlpi_name, "/libswift")) continue;
    for (int i = 0; i < info->dlpi_phnum && library_count < 64; i++) {
      if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
      uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      libraries[library_count].begin = begin;
      libraries[library_count++].end = begin + info->dlpi_phdr[i].p_memsz;
    }
  }
  return 0;
}

static void find_libraries(void) { dl_iterate_phdr(find_library, NULL); }

static int is_of_library(const void *caller) {
  uintptr_t place = (uintptr_t)caller;
  for (int i = 0; i < library_count; i++) {
    if (place >= libraries[i].begin && place < libraries[i].end) return 1;
  }
  return 0;
}

// Is told of each allocation, whoever asks for it.
static void count(void *caller);

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
