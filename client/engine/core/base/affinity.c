/*
 * affinity.c: sched_setaffinity(2) is of a thread, so each of /proc/self/task gets it. A thread started meanwhile by
 * one that was not yet bound is found by looking again until a look finds nothing new.
 */
#include "affinity.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#define LOOKS 8

/* Binds every thread; *COUNT: how many there are. 0 or -errno. A thread that has ended meanwhile is no failure. */
static int bind_threads(const cpu_set_t *set, unsigned *count) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) return -errno;
  int error = 0;
  *count = 0;
  for (const struct dirent *entry; !error && (entry = readdir(tasks));) {
    int tid = atoi(entry->d_name);
    if (tid <= 0) continue;
    ++*count;
    if (sched_setaffinity(tid, sizeof *set, set) != 0 && errno != ESRCH) error = -errno;
  }
  closedir(tasks);
  return error;
}

/* The kernel leaves out CPUs that are not there: what it made of SET is read back. 0 or -errno. */
static int is_bound(const cpu_set_t *set) {
  cpu_set_t made;
  if (sched_getaffinity(0, sizeof made, &made) != 0) return -errno;
  return CPU_EQUAL(set, &made) ? 0 : -EINVAL;
}

int affinity_set(const uint32_t *cpus, size_t count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t i = 0; i < count; i++) {
    if (cpus[i] >= CPU_SETSIZE) return -EINVAL;
    CPU_SET(cpus[i], &set);
  }
  unsigned before = 0, now = 0;
  for (int look = 0; look < LOOKS; look++) {
    int error = bind_threads(&set, &now);
    if (error) return error;
    if (now == before) return is_bound(&set);
    before = now;
  }
  return is_bound(&set);
}
