/*
 * descriptor_table.c: close_range(2) with CLOSE_RANGE_UNSHARE copies the table and closes a range of the copy in one
 * step. Unlike unshare(2) it is allowed in containers.
 */
#include "descriptor_table.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

#define FIRST_CLOSED 3u /* after the standard streams: what a sanitizer reports goes to stderr */

static int close_from_to(unsigned from, unsigned to) {
  return syscall(SYS_close_range, from, to, CLOSE_RANGE_UNSHARE) == 0 ? 0 : -errno;
}

int descriptor_table_own(const int *kept, unsigned count) {
  unsigned from = FIRST_CLOSED;
  int error = 0;
  for (unsigned i = 0; !error && i < count; i++) {
    unsigned one = (unsigned)kept[i];
    if (one > from) error = close_from_to(from, one - 1);
    if (one >= from) from = one + 1;
  }
  return error ? error : close_from_to(from, ~0u);
}

static void *try_own(void *argument) {
  *(bool *)argument = descriptor_table_own(NULL, 0) == 0;
  return NULL;
}

bool descriptor_table_probe(void) {
  bool works = false;
  pthread_t thread;
  if (pthread_create(&thread, NULL, try_own, &works) != 0) return false;
  pthread_join(thread, NULL);
  return works;
}
