/*
 * request_queue.c: two walkers along the same schedule, one at the next request that will be due, one at the first that
 * waits; and the free connections as a list through an array. Either no request waits or no connection is free.
 */
#include "request_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "../connection/engine_state.h"
#include "arrival_times.h"

#define PIECE 256u /* requests of one turn of the loop */
#define NOWHERE UINT32_MAX
#define SEED_OF_ARRIVALS UINT64_C(0x6f70656e6c6f6f70)

struct link {
  uint32_t next, previous; /* both NOWHERE: not in the list, or alone in it */
};

struct open_loop {
  struct arrivals ahead, behind; /* the next to be due; the first that waits */
  uint64_t waiting;
  uint32_t first, last; /* free connections, the one that has been free longest first */
  bool in_time;         /* what is taken now has only just become due */
  struct link links[];
};

int open_loop_create(uint32_t slots, struct open_loop **open_loop) {
  struct open_loop *made = calloc(1, sizeof *made + slots * sizeof made->links[0]);
  if (!made) return -ENOMEM;
  made->first = made->last = NOWHERE;
  for (uint32_t slot = 0; slot < slots; slot++) made->links[slot] = (struct link){NOWHERE, NOWHERE};
  *open_loop = made;
  return 0;
}

void open_loop_destroy(struct open_loop *open_loop) { free(open_loop); }

void open_loop_begin(struct engine *engine, uint64_t later_ns) {
  struct open_loop *self = engine->open_loop;
  const struct engine_settings *settings = &engine->settings;
  double share = (double)settings->first / (double)settings->stride;
  uint64_t from_ns = engine->start_ns + settings->rate_from_ns;
  arrivals_begin(&self->ahead, &settings->rates, from_ns, later_ns, share, settings->poisson,
                 settings->seed ^ SEED_OF_ARRIVALS);
  self->behind = self->ahead;
}

uint64_t open_loop_next_ns(const struct open_loop *open_loop) { return open_loop->ahead.next_ns; }

bool open_loop_waits(const struct open_loop *open_loop) { return open_loop->waiting > 0; }

uint64_t open_loop_take(struct engine *engine) {
  struct open_loop *self = engine->open_loop;
  uint64_t due_ns = self->behind.next_ns;
  arrivals_advance(&self->behind);
  self->waiting--;
  engine->gauges[GAUGE_WAITING]--;
  if (!self->in_time) engine->interval->counters[COUNT_LATE]++;
  return due_ns;
}

static bool is_free(const struct open_loop *self, uint32_t slot) {
  return self->links[slot].previous != NOWHERE || self->first == slot;
}

void open_loop_offer(struct engine *engine, uint32_t slot) {
  struct open_loop *self = engine->open_loop;
  if (is_free(self, slot)) return;
  self->links[slot] = (struct link){NOWHERE, self->last};
  if (self->last == NOWHERE) {
    self->first = slot;
  } else {
    self->links[self->last].next = slot;
  }
  self->last = slot;
}

void open_loop_withdraw(struct engine *engine, uint32_t slot) {
  struct open_loop *self = engine->open_loop;
  if (!is_free(self, slot)) return;
  struct link link = self->links[slot];
  if (link.previous == NOWHERE) {
    self->first = link.next;
  } else {
    self->links[link.previous].next = link.next;
  }
  if (link.next == NOWHERE) {
    self->last = link.previous;
  } else {
    self->links[link.next].previous = link.previous;
  }
  self->links[slot] = (struct link){NOWHERE, NOWHERE};
}

static void count_due(struct engine *engine) {
  arrivals_advance(&engine->open_loop->ahead);
  engine->open_loop->waiting++;
  engine->gauges[GAUGE_WAITING]++;
  engine->interval->counters[COUNT_DUE]++;
}

bool open_loop_serve(struct engine *engine, uint64_t now) {
  struct open_loop *self = engine->open_loop;
  for (uint32_t i = 0; i < PIECE; i++) {
    if (self->ahead.next_ns > now) return false;
    count_due(engine);
    uint32_t slot = self->first;
    if (slot == NOWHERE) continue;
    open_loop_withdraw(engine, slot);
    self->in_time = true;
    bool over = flights_begin(engine, slot);
    self->in_time = false;
    if (over) slot_go_on(engine, slot, WORKLOAD_REPLIED, now);
  }
  return true;
}

void open_loop_end(struct engine *engine, uint64_t until_ns) {
  struct open_loop *self = engine->open_loop;
  while (self->ahead.next_ns < until_ns) count_due(engine);
  engine->interval->counters[COUNT_UNSENT] += self->waiting;
  engine->gauges[GAUGE_WAITING] = 0;
  self->waiting = 0;
  self->ahead.next_ns = NS_NEVER;
}
