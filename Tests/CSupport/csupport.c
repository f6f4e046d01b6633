#define _GNU_SOURCE
#include "csupport.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int support_leave_network(void) { return unshare(CLONE_NEWNET); }

int support_enter_network(int descriptor) { return setns(descriptor, CLONE_NEWNET); }

int support_open_tun(const char *name) {
  int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun < 0) return -1;
  struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
  strncpy(request.ifr_name, name, sizeof request.ifr_name - 1);
  if (ioctl(tun, TUNSETIFF, &request) < 0) {
    int error = errno;
    close(tun);
    errno = error;
    return -1;
  }
  return tun;
}

int support_set_carrier(int tun, int is_there) { return ioctl(tun, TUNSETCARRIER, &is_there); }

void support_run_first(void) {
  const struct sched_param lowest = {.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest);
}

int support_poll(void *descriptors, unsigned count, int64_t nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  return ppoll(descriptors, count, &time, NULL);
}
