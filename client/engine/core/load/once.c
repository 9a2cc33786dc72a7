/*
 * once.c: one transfer for each slot, then FIN. A slot that is rejected or lost before it tries again.
 */
#include "workload.h"

static struct workload_answer next(const struct workload_settings *settings, enum workload_event event, uint64_t now_ns,
                                   uint64_t started_ns) {
  (void)settings;
  (void)now_ns;
  (void)started_ns;
  return (struct workload_answer){event == WORKLOAD_REPLIED ? WORKLOAD_CLOSE : WORKLOAD_REQUEST, 0};
}

const struct workload workload_once = {.name = "once", .next = next};
