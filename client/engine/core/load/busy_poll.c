/*
 * busy_poll.c: when to sleep, and what not sleeping has cost.
 */
#include "busy_poll.h"

#include "../base/clock.h"

/* An empty poll takes about a microsecond. If one took longer than this, the rest was not CPU time of this thread: the
 * core ran another one. */
#define EMPTY_POLL_MAX_NS UINT64_C(50000)

void busy_poll_init(struct busy_poll *busy_poll, uint64_t for_ns) {
  busy_poll->for_ns = for_ns;
  busy_poll->empty_since_ns = NS_NEVER;
}

/* Ends the empty poll of the last turn, if it was one. Only the engine's thread writes. */
static void count_empty(struct busy_poll *self, uint64_t now_ns) {
  if (self->empty_since_ns == NS_NEVER) return;
  uint64_t total_ns = busy_poll_empty_ns(self) + earlier_ns(now_ns - self->empty_since_ns, EMPTY_POLL_MAX_NS);
  atomic_store_explicit(&self->empty_total_ns, total_ns, memory_order_relaxed);
  self->empty_since_ns = NS_NEVER;
}

uint64_t busy_poll_deadline(struct busy_poll *self, uint64_t now_ns, uint64_t due_ns, uint64_t request_ns) {
  count_empty(self, now_ns);
  self->turn_ns = now_ns;
  self->serves = now_ns >= self->due_ns;
  if (self->serves) self->until_ns = now_ns + self->for_ns;
  self->due_ns = due_ns;
  uint64_t ahead_ns = request_ns == NS_NEVER ? NS_NEVER : request_ns > self->for_ns ? request_ns - self->for_ns : 0;
  self->polls = now_ns < self->until_ns || now_ns >= ahead_ns;
  return self->polls ? now_ns : earlier_ns(due_ns, ahead_ns);
}

void busy_poll_account(struct busy_poll *self, int events, uint64_t seen_ns) {
  if (events > 0) self->until_ns = seen_ns + self->for_ns;
  if (events == 0 && self->polls && !self->serves) self->empty_since_ns = self->turn_ns;
}
