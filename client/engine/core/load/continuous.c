/*
 * continuous.c: transfer after transfer, with a pause between them if one is set.
 */
#include "workload.h"

static struct workload_answer next(const struct workload_settings *settings, enum workload_event event, uint64_t now_ns,
                                   uint64_t started_ns) {
  (void)started_ns;
  if (event == WORKLOAD_REPLIED && settings->pause_ns > 0) {
    return (struct workload_answer){WORKLOAD_WAIT, now_ns + settings->pause_ns};
  }
  return (struct workload_answer){WORKLOAD_REQUEST, 0};
}

const struct workload workload_continuous = {.name = "continuous", .next = next};
