/*
 * affinity.c: sched_setaffinity(2) binds one thread, so it is called for each of /proc/self/task. A thread that was not
 * bound yet may have started another meanwhile: the list is read again until it has not grown.
 */
#include "affinity.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#define LOOKS 8

/* Binds all threads; *COUNT: how many there are. 0 or -errno. A thread that has ended meanwhile is not an error. */
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

/* The kernel silently drops CPUs that the process cannot have, so the set is read back. 0 or -errno. */
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
