/*
 * connect_limiter.c: a ring of slots, and the time at which the next of them may be released.
 */
#include "connect_limiter.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/clock.h"

struct connect_limiter {
  double interval_ns;
  double next_ns; /* 53 bits hold 100 days of nanoseconds to the nanosecond */
  uint32_t capacity, first, count;
  uint32_t slots[];
};

int connect_limiter_create(uint32_t slots, double rate, struct connect_limiter **limiter) {
  struct connect_limiter *self = calloc(1, sizeof *self + slots * sizeof self->slots[0]);
  if (!self) return -ENOMEM;
  self->interval_ns = (double)NS_PER_SECOND / rate;
  self->capacity = slots;
  *limiter = self;
  return 0;
}

void connect_limiter_begin(struct connect_limiter *limiter, uint64_t first_ns) { limiter->next_ns = (double)first_ns; }

double connect_limiter_interval_ns(const struct connect_limiter *limiter) { return limiter->interval_ns; }

void connect_limiter_destroy(struct connect_limiter *limiter) { free(limiter); }

void connect_limiter_add(struct connect_limiter *limiter, uint32_t slot) {
  uint64_t end = (uint64_t)limiter->first + limiter->count++;
  limiter->slots[end % limiter->capacity] = slot;
}

bool connect_limiter_first(const struct connect_limiter *limiter, uint32_t *slot) {
  if (limiter->count > 0) *slot = limiter->slots[limiter->first];
  return limiter->count > 0;
}

void connect_limiter_drop_first(struct connect_limiter *limiter) {
  limiter->first = (limiter->first + 1) % limiter->capacity;
  limiter->count--;
}

bool connect_limiter_take(struct connect_limiter *limiter, uint64_t now_ns, uint32_t *slot) {
  if (limiter->count == 0 || connect_limiter_next_ns(limiter) > now_ns) return false;
  connect_limiter_first(limiter, slot);
  connect_limiter_drop_first(limiter);
  double earliest = (double)now_ns - (double)CONNECT_SLACK_NS;
  limiter->next_ns = (limiter->next_ns > earliest ? limiter->next_ns : earliest) + limiter->interval_ns;
  return true;
}

uint64_t connect_limiter_next_ns(const struct connect_limiter *limiter) {
  return limiter->count == 0 ? NS_NEVER : (uint64_t)limiter->next_ns;
}
