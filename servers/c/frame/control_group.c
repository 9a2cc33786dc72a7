/* Tasks and memory that remain in the control groups of this process, in versions 1 and 2 of the interface. A group is
 * limited by all the groups above it, so the smallest remainder counts. client/machine/control-group.js computes the
 * same. */
#include "../server.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Version 1 represents "no limit" by a number near 2^63. */
#define UNLIMITED (1L << 60)

/* The files of a controller: its limit and its current use. For memory version 1 has other names. */
struct files {
  const char *controller;
  const char *most[2];
  const char *used[2];
};

static const struct files PIDS = {"pids", {"pids.max", NULL}, {"pids.current", NULL}};
static const struct files MEMORY = {
    "memory", {"memory.max", "memory.limit_in_bytes"}, {"memory.current", "memory.usage_in_bytes"}};

static FILE *open_in(const char *folder, const char *name) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, "re");
}

/* The number in the first of two files that contains one, or LONG_MAX. */
static long read_first(const char *folder, const char *const names[2]) {
  for (int i = 0; i < 2 && names[i] != NULL; i++) {
    FILE *file = open_in(folder, names[i]);
    long value;
    int found = file == NULL ? 0 : fscanf(file, "%ld", &value);
    if (file != NULL) {
      fclose(file);
    }
    if (found == 1 && value < UNLIMITED) {
      return value;
    }
  }
  return LONG_MAX;
}

/* Page cache that the kernel reclaims when necessary. */
static long reclaimable_bytes(const char *folder) {
  FILE *file = open_in(folder, "memory.stat");
  char line[128];
  long bytes = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL && sscanf(line, "inactive_file %ld", &bytes) != 1) {
  }
  if (file != NULL) {
    fclose(file);
  }
  return bytes;
}

static long remaining_in(const char *folder, const struct files *files) {
  const long most = read_first(folder, files->most);
  if (most == LONG_MAX) {
    return LONG_MAX;
  }
  const long taken = read_first(folder, files->used);
  const long used = taken == LONG_MAX ? 0 : taken - (files == &MEMORY ? reclaimable_bytes(folder) : 0);
  return used < 0 ? most : most > used ? most - used : 0;
}

/* The smallest remainder from `path` below `root` up to `root` itself. Inside a container the path may be the host's
 * and not exist here; then only the root counts. */
static long remaining_up_to(const char *root, const char *path, const struct files *files) {
  char folder[PATH_MAX];
  int length = snprintf(folder, sizeof folder, "%s%s", root, path);
  if (length < 0 || (size_t)length >= sizeof folder) {
    return LONG_MAX;
  }
  const size_t least = strlen(root);
  long room = LONG_MAX;
  for (;;) {
    const long here = remaining_in(folder, files);
    room = here < room ? here : room;
    if (strlen(folder) <= least) {
      return room;
    }
    *strrchr(folder, '/') = '\0';
  }
}

static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

/* Lines of /proc/self/cgroup: "0::/path" in version 2, "4:cpu,memory:/path" in version 1. */
static long min_remaining(const char *root, const char *groups, const struct files *files) {
  FILE *file = fopen(groups, "re");
  char line[PATH_MAX];
  long room = LONG_MAX;
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *names = strchr(line, ':');
    char *path = names == NULL ? NULL : strchr(names + 1, ':');
    if (path == NULL) {
      continue;
    }
    *names++ = *path++ = '\0';
    if (strstr(path, "..") != NULL) { /* above the mounted hierarchy */
      path = "";
    }
    char folder[PATH_MAX];
    if (names[0] == '\0') {
      snprintf(folder, sizeof folder, "%s", root);
    } else if (has_word(names, files->controller)) {
      snprintf(folder, sizeof folder, "%s/%s", root, files->controller);
    } else {
      continue;
    }
    const long here = remaining_up_to(folder, strcmp(path, "/") == 0 ? "" : path, files);
    room = here < room ? here : room;
  }
  if (file != NULL) {
    fclose(file);
  }
  return room;
}

long control_group_tasks(const char *root, const char *groups) { return min_remaining(root, groups, &PIDS); }

long control_group_bytes(const char *root, const char *groups) { return min_remaining(root, groups, &MEMORY); }
