/* Limits of a server: descriptors and, for models with a thread or process per connection, the machine's pids and
 * memory. A server that takes the last pid makes the machine unusable, so the default ceiling leaves HEADROOM tasks
 * (half of them, where there are few) and half of the memory to other programs. client/plan/limits/server.js computes
 * the same ceiling. */
#include "../server.h"

#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define HEADROOM 1000
/* A thread with its connection: kernel stack, touched stack, both ends of a socket (measured: 40 KiB, plus a
 * margin). */
#define THREAD_KIB 48
/* A process forked for a connection (measured: 133 KiB, plus its buffer). */
#define PROCESS_KIB 192
/* Containers may allow 10^9 descriptors, and select would allocate a table for all of them. */
#define MAX_DESCRIPTORS (1 << 20)
#define GROUP_ROOT "/sys/fs/cgroup"
#define GROUPS "/proc/self/cgroup"

long limits_raise_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
    return 1024;
  }
  const struct rlimit raised = {
      .rlim_cur = limit.rlim_max < MAX_DESCRIPTORS ? limit.rlim_max : MAX_DESCRIPTORS,
      .rlim_max = limit.rlim_max,
  };
  return (long)(setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur);
}

/* The number in a file of /proc or /sys, or LONG_MAX when there is none ("max", no such file). */
static long read_number(const char *path) {
  FILE *file = fopen(path, "re");
  long value = LONG_MAX;
  if (file != NULL) {
    if (fscanf(file, "%ld", &value) != 1) {
      value = LONG_MAX;
    }
    fclose(file);
  }
  return value;
}

static long tasks_now(void) {
  FILE *file = fopen("/proc/loadavg", "re");
  long tasks = 0;
  if (file != NULL) {
    if (fscanf(file, "%*s %*s %*s %*d/%ld", &tasks) != 1) {
      tasks = 0;
    }
    fclose(file);
  }
  return tasks;
}

static long smaller(long a, long b) { return a < b ? a : b; }

/* Memory available without paging; LONG_MAX when unknown. */
static long memory_available_kib(void) {
  FILE *file = fopen("/proc/meminfo", "re");
  char line[128];
  long kib = LONG_MAX;
  while (file != NULL && fgets(line, sizeof line, file) != NULL && sscanf(line, "MemAvailable: %ld", &kib) != 1) {
  }
  if (file != NULL) {
    fclose(file);
  }
  return kib;
}

static long memory_kib(void) { return smaller(memory_available_kib(), control_group_bytes(GROUP_ROOT, GROUPS) / 1024); }

/* Tasks that can still be started. Existing tasks of the machine count against the machine's limits, those of a control
 * group against its own; tasks of the user are not counted. */
static long tasks_left(void) {
  const long most = smaller(read_number("/proc/sys/kernel/pid_max"), read_number("/proc/sys/kernel/threads-max"));
  long left = most == LONG_MAX ? LONG_MAX : most - tasks_now();
  left = smaller(left, control_group_tasks(GROUP_ROOT, GROUPS));
  left = left < 0 ? 0 : left;
  struct rlimit processes;
  if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur < (rlim_t)left) {
    left = (long)processes.rlim_cur;
  }
  return left;
}

static long ceiling_of(long each_kib) {
  const long left = tasks_left();
  const long tasks = left == LONG_MAX ? LONG_MAX : left - smaller(HEADROOM, left / 2);
  const long ceiling = smaller(tasks, memory_kib() / 2 / each_kib);
  return ceiling < 1 ? 1 : ceiling;
}

long limits_threads(void) {
  /* A thread's stack and its guard page are two mappings. */
  const long mappings = read_number("/proc/sys/vm/max_map_count");
  const long ceiling = smaller(ceiling_of(THREAD_KIB), mappings == LONG_MAX ? LONG_MAX : (mappings - HEADROOM) / 2);
  return ceiling < 1 ? 1 : ceiling;
}

long limits_processes(void) { return ceiling_of(PROCESS_KIB); }
