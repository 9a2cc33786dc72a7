/*
 * connect_limiter.c: a ring of slots and the time at which the next of them may go.
 */
#include "connect_limiter.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/clock.h"

struct pace {
  double interval_ns;
  double next_ns; /* 53 bits hold 100 days of nanoseconds to the nanosecond */
  uint32_t capacity, first, count;
  uint32_t slots[];
};

int pace_create(uint32_t slots, double rate, struct pace **pace) {
  struct pace *made = calloc(1, sizeof *made + slots * sizeof made->slots[0]);
  if (!made) return -ENOMEM;
  made->interval_ns = (double)NS_PER_SECOND / rate;
  made->capacity = slots;
  *pace = made;
  return 0;
}

void pace_begin(struct pace *pace, uint64_t first_ns) { pace->next_ns = (double)first_ns; }

double pace_interval_ns(const struct pace *pace) { return pace->interval_ns; }

void pace_destroy(struct pace *pace) { free(pace); }

void pace_add(struct pace *pace, uint32_t slot) {
  uint64_t end = (uint64_t)pace->first + pace->count++;
  pace->slots[end % pace->capacity] = slot;
}

bool pace_first(const struct pace *pace, uint32_t *slot) {
  if (pace->count > 0) *slot = pace->slots[pace->first];
  return pace->count > 0;
}

void pace_drop_first(struct pace *pace) {
  pace->first = (pace->first + 1) % pace->capacity;
  pace->count--;
}

bool pace_take(struct pace *pace, uint64_t now_ns, uint32_t *slot) {
  if (pace->count == 0 || pace_next_ns(pace) > now_ns) return false;
  pace_first(pace, slot);
  pace_drop_first(pace);
  double earliest = (double)now_ns - (double)PACE_SLACK_NS;
  pace->next_ns = (pace->next_ns > earliest ? pace->next_ns : earliest) + pace->interval_ns;
  return true;
}

uint64_t pace_next_ns(const struct pace *pace) { return pace->count == 0 ? NS_NEVER : (uint64_t)pace->next_ns; }
