/*
 * epoll_wait: waits for events of epoll, in nanoseconds where the kernel can.
 */
#ifndef BROADSIDE_EPOLL_WAIT_H
#define BROADSIDE_EPOLL_WAIT_H

#include <errno.h>
#include <linux/time_types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/clock.h"

#ifndef SYS_epoll_pwait2 /* the same number on every architecture */
#define SYS_epoll_pwait2 441
#endif

/* At most COUNT events of EPOLL, after WAIT_NS at the latest, and after a second. Their number, or -errno. */
static inline int epoll_wait_ns(int epoll, struct epoll_event *events, int count, uint64_t wait_ns) {
  static bool whole_milliseconds; /* set once, when the kernel has no epoll_pwait2 (before 5.11) */
  if (wait_ns > NS_PER_SECOND) wait_ns = NS_PER_SECOND;
  if (!__atomic_load_n(&whole_milliseconds, __ATOMIC_RELAXED)) {
    struct __kernel_timespec timeout = {.tv_sec = (int64_t)(wait_ns / NS_PER_SECOND),
                                        .tv_nsec = (int64_t)(wait_ns % NS_PER_SECOND)};
    /* glibc has a function for it from 2.35 on only, and the programs of the package run with 2.34. */
    int found = (int)syscall(SYS_epoll_pwait2, epoll, events, count, &timeout, NULL, (size_t)0);
    if (found >= 0 || errno != ENOSYS) return found >= 0 ? found : -errno;
    __atomic_store_n(&whole_milliseconds, true, __ATOMIC_RELAXED);
  }
  int found = epoll_wait(epoll, events, count, (int)((wait_ns + 999999) / 1000000));
  return found >= 0 ? found : -errno;
}

#endif
