/*
 * workloads.c: the workloads, a function and a row each.
 */
#include <stddef.h>
#include <string.h>

#include "workload.h"

#define ANSWER(STEP, AT_NS) ((struct workload_answer){STEP, AT_NS})
/* Parameters of a workload's next(); each uses some of them. */
#define QUESTION                                                                               \
  const struct workload_settings *settings __attribute__((unused)), enum workload_event event, \
      uint64_t now_ns __attribute__((unused)), uint64_t started_ns __attribute__((unused))

/* Transfer after transfer, with a pause between them if one is set. */
static struct workload_answer continuous_next(QUESTION) {
  bool pauses = event == WORKLOAD_REPLIED && settings->pause_ns > 0;
  return pauses ? ANSWER(WORKLOAD_WAIT, now_ns + settings->pause_ns) : ANSWER(WORKLOAD_REQUEST, 0);
}

/* One transfer for each slot, then FIN. A slot that is rejected or lost before it tries again. */
static struct workload_answer once_next(QUESTION) {
  return event == WORKLOAD_REPLIED ? ANSWER(WORKLOAD_CLOSE, 0) : ANSWER(WORKLOAD_REQUEST, 0);
}

/* Stay open; with a heartbeat, one transfer on opening and one every heartbeat after it began. */
static struct workload_answer hold_next(QUESTION) {
  if (settings->heartbeat_ns == 0) return ANSWER(WORKLOAD_STAY_OPEN, 0);
  if (event != WORKLOAD_REPLIED) return ANSWER(WORKLOAD_REQUEST, 0);
  uint64_t due_ns = started_ns + settings->heartbeat_ns;
  return ANSWER(WORKLOAD_WAIT, due_ns > now_ns ? due_ns : now_ns);
}

/* Connect, one transfer, FIN, and the same again: what a server without keep-alive sees. The end of such a connection
 * is planned: it is neither lost nor an error, and no back-off follows it. */
static struct workload_answer reconnect_next(QUESTION) {
  return event == WORKLOAD_REPLIED ? ANSWER(WORKLOAD_RECONNECT, 0) : ANSWER(WORKLOAD_REQUEST, 0);
}

const struct workload workload_continuous = {.name = "continuous", .next = continuous_next},
                      workload_once = {.name = "once", .next = once_next},
                      workload_hold = {.name = "hold", .backoff_resets_by_age = true, .next = hold_next},
                      workload_reconnect = {.name = "reconnect", .next = reconnect_next};

static const struct workload *const workloads[] = {&workload_continuous, &workload_once, &workload_hold,
                                                   &workload_reconnect};

const struct workload *workload_find(const char *name) {
  for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
    if (strcmp(workloads[i]->name, name) == 0) return workloads[i];
  }
  return NULL;
}
