/*
 * hold.c: stay open; with a heartbeat, one transfer on opening and one every heartbeat after it began. What
 * most connections of most servers do most of the time.
 */
#include "workload.h"

static struct workload_answer next(const struct workload_settings *settings, enum workload_event event, uint64_t now_ns,
                                   uint64_t started_ns) {
  if (settings->heartbeat_ns == 0) return (struct workload_answer){WORKLOAD_STAY_OPEN, 0};
  if (event != WORKLOAD_REPLIED) return (struct workload_answer){WORKLOAD_REQUEST, 0};
  uint64_t due_ns = started_ns + settings->heartbeat_ns;
  return (struct workload_answer){WORKLOAD_WAIT, due_ns > now_ns ? due_ns : now_ns};
}

const struct workload workload_hold = {.name = "hold", .backoff_resets_by_age = true, .next = next};
