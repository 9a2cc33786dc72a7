/* Binds to all requested CPUs or to none. sched_setaffinity silently ignores CPUs that do not exist or that the
 * process may not use, so the result is read back and compared. */
#include "cpus.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The maximum of CONFIG_NR_CPUS. */
#define MAX_CPUS 8192

struct cpus {
  cpu_set_t parts[MAX_CPUS / CPU_SETSIZE];
};

/* The CPUs of this process before cpus_bind. */
static struct cpus before;

static bool read_number(const char **text, size_t *value) {
  if (**text < '0' || **text > '9') {
    return false;
  }
  char *end;
  errno = 0;
  *value = strtoul(*text, &end, 10);
  *text = end;
  return errno == 0 && *value < MAX_CPUS;
}

static bool parse_list(const char *list, struct cpus *cpus) {
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

static bool contains(const struct cpus *cpus, size_t cpu) {
  return cpu < MAX_CPUS && CPU_ISSET_S(cpu, sizeof *cpus, cpus->parts);
}

/* All CPUs that this process may use, regardless of its current binding. */
static void read_available(struct cpus *cpus) {
  memset(cpus, 0xff, sizeof *cpus);
  if (sched_setaffinity(0, sizeof *cpus, cpus->parts) < 0 || sched_getaffinity(0, sizeof *cpus, cpus->parts) < 0) {
    *cpus = before;
  }
}

/* Writes the list in the notation of taskset; cut when it does not fit. */
static void format_list(const struct cpus *cpus, char *text, size_t size) {
  const char *separator = "";
  size_t used = 0;
  text[0] = '\0';
  for (size_t first = 0; first < MAX_CPUS && used < size; first++) {
    if (!contains(cpus, first)) {
      continue;
    }
    size_t last = first;
    while (contains(cpus, last + 1)) {
      last++;
    }
    const char *format = first == last ? "%s%zu" : "%s%zu-%zu";
    int length = snprintf(text + used, size - used, format, separator, first, last);
    used += length < 0 ? 0 : (size_t)length;
    separator = ",";
    first = last;
  }
}

bool cpus_bind(const char *list, char *available, size_t size) {
  struct cpus wanted;
  available[0] = '\0';
  if (!parse_list(list, &wanted)) {
    fprintf(stderr, "guard: --cpus %s: expected a list such as 0, 0-1 or 1,3\n", list);
    return false;
  }
  struct cpus bound = {0};
  if (sched_getaffinity(0, sizeof before, before.parts) < 0) {
    perror("guard: sched_getaffinity");
    return false;
  }
  if (sched_setaffinity(0, sizeof wanted, wanted.parts) == 0 && sched_getaffinity(0, sizeof bound, bound.parts) == 0 &&
      memcmp(&bound, &wanted, sizeof bound) == 0) {
    return true;
  }
  read_available(&bound);
  cpus_release();
  format_list(&bound, available, size);
  fprintf(stderr, "guard: --cpus %s: available CPUs: %s\n", list, available);
  return false;
}

void cpus_release(void) { sched_setaffinity(0, sizeof before, before.parts); }
