/* Waits for events of epoll, in nanoseconds: milliseconds are too coarse for --work. */
#ifndef BROADSIDE_EPOLL_WAIT_H
#define BROADSIDE_EPOLL_WAIT_H

#include <linux/time_types.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2 /* the same number on every architecture */
#define SYS_epoll_pwait2 441
#endif

/* epoll_wait for at most `left_ns`; -1: until an event. epoll_pwait2 (Linux 5.11) is a bare system call, as glibc has a
 * function for it from 2.35 on only. */
static inline int epoll_wait_ns(int epoll, struct epoll_event *events, int count, int64_t left_ns) {
  if (left_ns <= 0) {
    return epoll_wait(epoll, events, count, left_ns < 0 ? -1 : 0);
  }
  const struct __kernel_timespec most = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
  return (int)syscall(SYS_epoll_pwait2, epoll, events, count, &most, NULL, (size_t)0);
}

#endif
