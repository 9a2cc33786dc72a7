/*
 * workloads.c: the list of workloads.
 */
#include <stddef.h>
#include <string.h>

#include "workload.h"

static const struct workload *const workloads[] = {&workload_continuous, &workload_once, &workload_hold,
                                                   &workload_reconnect};

const struct workload *workload_find(const char *name) {
  for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
    if (strcmp(workloads[i]->name, name) == 0) return workloads[i];
  }
  return NULL;
}
