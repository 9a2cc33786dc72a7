/*
 * busy_poll: polling instead of sleeping. A thread that sleeps is woken tens of microseconds late, which would be in
 * every time that it takes; one that polls is not, and uses a whole core for that. CPU spent on polls that found
 * nothing is accounted separately: it is not load. Times are absolute.
 *
 * Each turn of the loop, where for_ns is not 0: busy_poll_deadline(), the transport's poll with that deadline,
 * busy_poll_account().
 */
#ifndef BROADSIDE_BUSY_POLL_H
#define BROADSIDE_BUSY_POLL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct busy_poll {
  uint64_t for_ns;                 /* polls for that long after each event and before each request; 0: never */
  uint64_t until_ns;               /* does not sleep before then */
  uint64_t due_ns;                 /* what is due from then on had not been served at the last turn */
  uint64_t empty_since_ns;         /* when the last turn, a poll that found nothing, began; NS_NEVER: it was not one */
  uint64_t turn_ns;                /* when this turn began */
  bool polls, serves;              /* this turn does not sleep; something was due in it */
  _Atomic uint64_t empty_total_ns; /* spent on polls that found nothing */
};

void busy_poll_init(struct busy_poll *busy_poll, uint64_t for_ns);

/* The deadline for the transport's poll, at NOW_NS, where DUE_NS is when there will be something to do at the latest
 * and REQUEST_NS when the next request is due (NS_NEVER: not known). */
uint64_t busy_poll_deadline(struct busy_poll *busy_poll, uint64_t now_ns, uint64_t due_ns, uint64_t request_ns);

/* The poll returned EVENTS (as transport_table's turn), which were seen at SEEN_NS. */
void busy_poll_account(struct busy_poll *busy_poll, int events, uint64_t seen_ns);

/* Any thread: how long polls that found nothing have taken so far. */
static inline uint64_t busy_poll_empty_ns(const struct busy_poll *busy_poll) {
  return atomic_load_explicit(&busy_poll->empty_total_ns, memory_order_relaxed);
}

#endif
