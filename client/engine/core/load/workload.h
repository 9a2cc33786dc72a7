/*
 * workload: what a connection does with its life. It answers one question, "what next?", and is pure: now is an
 * argument. A new workload is a function and a row in workloads.c.
 */
#ifndef BROADSIDE_WORKLOAD_H
#define BROADSIDE_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct workload_settings {
  uint64_t pause_ns;         /* continuous: from a reply to the next request */
  uint64_t heartbeat_ns;     /* hold: from a request to the next; 0: none */
  uint64_t first_request_ns; /* before it, an open connection waits. Relative to the leg's start until that is known */
};

enum workload_event { WORKLOAD_OPENED, WORKLOAD_REPLIED, WORKLOAD_WAITED };

enum workload_step {
  WORKLOAD_REQUEST,   /* begin a transfer now */
  WORKLOAD_WAIT,      /* ask again (WORKLOAD_WAITED) at at_ns */
  WORKLOAD_STAY_OPEN, /* nothing more to do */
  WORKLOAD_CLOSE,     /* close by FIN; the slot is finished */
  WORKLOAD_RECONNECT  /* close by FIN, and connect again at once */
};

struct workload_answer {
  enum workload_step step;
  uint64_t at_ns;
};

struct workload {
  const char *name;
  bool backoff_resets_by_age; /* back-off returns to its base by staying open, not by a completed transfer */
  /* NOW_NS: of the event; STARTED_NS: when the last transfer began. */
  struct workload_answer (*next)(const struct workload_settings *settings, enum workload_event event, uint64_t now_ns,
                                 uint64_t started_ns);
};

/* What the workload answers, once the first request may begin. */
static inline struct workload_answer workload_next(const struct workload *workload,
                                                   const struct workload_settings *settings, enum workload_event event,
                                                   uint64_t now_ns, uint64_t started_ns) {
  if (event == WORKLOAD_OPENED && now_ns < settings->first_request_ns) {
    return (struct workload_answer){WORKLOAD_WAIT, settings->first_request_ns};
  }
  return workload->next(settings, event, now_ns, started_ns);
}

/* By name; NULL when there is none. */
const struct workload *workload_find(const char *name);

extern const struct workload workload_continuous, workload_once, workload_hold, workload_reconnect;

#endif
