/* Binding to CPUs, all of those that were asked for or none.
 * The one thing to know: sched_setaffinity leaves out, without a word, the CPUs that are not there or
 * that the process may not have; so what it did is read back. */
#include "cpus.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most CPUs a Linux kernel can be built for. */
#define CPUS_MOST 8192

struct cpus {
  cpu_set_t parts[CPUS_MOST / CPU_SETSIZE];
};

static struct cpus before;

static bool read_number(const char **text, size_t *value) {
  if (**text < '0' || **text > '9') {
    return false;
  }
  char *end;
  errno = 0;
  *value = strtoul(*text, &end, 10);
  *text = end;
  return errno == 0 && *value < CPUS_MOST;
}

static bool parse(const char *list, struct cpus *cpus) {
  memset(cpus, 0, sizeof *cpus);
  for (const char *rest = list;; rest++) {
    size_t first;
    if (!read_number(&rest, &first)) {
      return false;
    }
    size_t last = first;
    if (*rest == '-') {
      rest++;
      if (!read_number(&rest, &last) || last < first) {
        return false;
      }
    }
    for (size_t cpu = first; cpu <= last; cpu++) {
      CPU_SET_S(cpu, sizeof *cpus, cpus->parts);
    }
    if (*rest != ',') {
      return *rest == '\0';
    }
  }
}

static bool has(const struct cpus *cpus, size_t cpu) {
  return cpu < CPUS_MOST && CPU_ISSET_S(cpu, sizeof *cpus, cpus->parts);
}

/* Where this process may run at all, whatever it was bound to. */
static void read_available(struct cpus *cpus) {
  memset(cpus, 0xff, sizeof *cpus);
  if (sched_setaffinity(0, sizeof *cpus, cpus->parts) < 0 || sched_getaffinity(0, sizeof *cpus, cpus->parts) < 0) {
    *cpus = before;
  }
}

static void say(const struct cpus *cpus) {
  const char *separator = "";
  for (size_t first = 0; first < CPUS_MOST; first++) {
    if (!has(cpus, first)) {
      continue;
    }
    size_t last = first;
    while (has(cpus, last + 1)) {
      last++;
    }
    fprintf(stderr, first == last ? "%s%zu" : "%s%zu-%zu", separator, first, last);
    separator = ",";
    first = last;
  }
}

bool cpus_bind(const char *list) {
  struct cpus wanted;
  if (!parse(list, &wanted)) {
    fprintf(stderr, "guard: --cpus %s: expected CPUs such as 0, 0-1 or 1,3\n", list);
    return false;
  }
  struct cpus got = {0};
  if (sched_getaffinity(0, sizeof before, before.parts) < 0) {
    perror("guard: sched_getaffinity");
    return false;
  }
  if (sched_setaffinity(0, sizeof wanted, wanted.parts) == 0 && sched_getaffinity(0, sizeof got, got.parts) == 0 &&
      memcmp(&got, &wanted, sizeof got) == 0) {
    return true;
  }
  read_available(&got);
  cpus_release();
  fprintf(stderr, "guard: --cpus %s: only ", list);
  say(&got);
  fprintf(stderr, " can be had here\n");
  return false;
}

void cpus_release(void) { sched_setaffinity(0, sizeof before, before.parts); }
