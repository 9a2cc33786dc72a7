/*
 * waits: that a turn() which has nothing to deliver ends at its deadline, and when another thread calls wake(); for the
 * tests of every transport. The loop's flag for rule 2 is the caller's.
 */
#ifndef BROADSIDE_WAITS_H
#define BROADSIDE_WAITS_H

#include <pthread.h>

#include "../../client/engine/core/transport/transport.h"
#include "check.h"

static inline void *waits_wake(void *transport) {
  struct transport *self = transport;
  self->table->wake(self);
  return NULL;
}

#define TURNS_MOST 64u /* one may return early: the kernel, taking down rings of the tests before, interrupts it */

/* TURN_FOR runs a turn() of TRANSPORT that waits for the given time. */
static inline void waits_check(struct transport *transport, const struct clock *clock, void (*turn_for)(uint64_t ns)) {
  pthread_t thread;
  uint64_t before_ns = clock_now(clock), waited_ns = 0;
  for (unsigned turns = 0; turns < TURNS_MOST && waited_ns < 30000000; turns++) {
    turn_for(30000000 - waited_ns);
    waited_ns = clock_now(clock) - before_ns;
  }
  CHECK(waited_ns >= 30000000 && waited_ns < 5 * NS_PER_SECOND);
  before_ns = clock_now(clock);
  pthread_create(&thread, NULL, waits_wake, transport);
  turn_for(10 * NS_PER_SECOND);
  CHECK(clock_now(clock) - before_ns < 8 * NS_PER_SECOND);
  pthread_join(thread, NULL);
}

#endif
