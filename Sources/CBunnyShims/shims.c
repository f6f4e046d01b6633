#define _GNU_SOURCE
#include "bunny_shims.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

void bunny_name_this_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void bunny_take_turns_of(uint64_t nanoseconds) {
  if (sched_getscheduler(0) != SCHED_OTHER) return;  // somebody chose another, with chrt perhaps
  struct {  // struct sched_attr, which glibc has since 2.41
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {
      .size = sizeof attributes,
      .policy = SCHED_OTHER,
      .flags = 1,  // SCHED_FLAG_RESET_ON_FORK: threads that this one starts are like any other
      .nice = getpriority(PRIO_PROCESS, 0),  // the calling thread's; it stays
      .runtime = nanoseconds,
  };
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void bunny_keep_secrets_on_crash(void) {
  static const int crashes[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGQUIT, SIGSYS};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    // What the parent ignored (SIGQUIT, for a job in a script's background) stays ignored.
    struct sigaction now;
    if (sigaction(crashes[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      signal(crashes[i], SIG_DFL);
  }
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0);
}

void bunny_share_heaps(void) { mallopt(M_ARENA_MAX, 2); }

int bunny_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int bunny_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int bunny_spawn_in_directory(void *actions, const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

int bunny_move_pages(void *from, void *to, size_t size) {
  return mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED ? -1 : 0;
}

int bunny_link_socket(void) {
  int link_socket = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (link_socket < 0) return -1;
  const struct sockaddr_nl groups = {
      .nl_family = AF_NETLINK,
      .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
  };
  if (bind(link_socket, (const struct sockaddr *)&groups, sizeof groups) == 0) return link_socket;
  close(link_socket);
  return -1;
}

int bunny_ask_for_links(int link_socket, uint16_t question) {
  const struct {
    struct nlmsghdr header;
    struct rtgenmsg message;
  } request = {
      .header = {.nlmsg_len = sizeof request,
                 .nlmsg_type = question,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
      .message = {.rtgen_family = AF_UNSPEC},
  };
  return send(link_socket, &request, sizeof request, 0) == sizeof request ? 0 : -1;
}
