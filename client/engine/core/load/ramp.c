/*
 * ramp.c: a bisection of the points, done when the number of slots changes, not once a transfer.
 */
#include "ramp.h"

#include <errno.h>

#include "../base/clock.h"

static struct schedule_point before(const struct schedule *schedule, size_t index) {
  return index == 0 ? (struct schedule_point){0, 0, false} : schedule->points[index - 1];
}

int schedule_check(const struct schedule *schedule) {
  for (size_t i = 0; i < schedule->count; i++) {
    if (schedule->points[i].at_ns < before(schedule, i).at_ns) return -EINVAL;
  }
  return 0;
}

/* The first point after AT_NS. */
static size_t next_point(const struct schedule *schedule, uint64_t at_ns) {
  size_t low = 0, high = schedule->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (schedule->points[middle].at_ns > at_ns) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

static uint32_t distance(uint32_t a, uint32_t b) { return a < b ? b - a : a - b; }

/* How far a line has come from its beginning at AT_NS. */
static uint32_t moved(struct schedule_point from, struct schedule_point to, uint64_t at_ns) {
  unsigned __int128 moved = (unsigned __int128)distance(from.slots, to.slots) * (at_ns - from.at_ns);
  return (uint32_t)(moved / (to.at_ns - from.at_ns));
}

uint32_t schedule_slots(const struct schedule *schedule, uint64_t at_ns) {
  size_t index = next_point(schedule, at_ns);
  struct schedule_point from = before(schedule, index);
  if (index == schedule->count || !schedule->points[index].line) return from.slots;
  struct schedule_point to = schedule->points[index];
  uint32_t by = moved(from, to, at_ns);
  return to.slots > from.slots ? from.slots + by : from.slots - by;
}

uint64_t schedule_change_ns(const struct schedule *schedule, uint64_t at_ns) {
  uint32_t slots = schedule_slots(schedule, at_ns);
  for (size_t i = next_point(schedule, at_ns); i < schedule->count; i++) {
    struct schedule_point from = before(schedule, i), to = schedule->points[i];
    uint32_t whole = distance(from.slots, to.slots), wanted = distance(from.slots, slots) + 1;
    if (to.line && wanted <= whole) {
      unsigned __int128 span = (unsigned __int128)(to.at_ns - from.at_ns) * wanted;
      return from.at_ns + (uint64_t)((span + whole - 1) / whole);
    }
    if (to.slots != slots) return to.at_ns;
  }
  return NS_NEVER;
}

enum ramp_step ramp_next(struct ramp *ramp, uint64_t at_ns, uint32_t *slot) {
  if (at_ns >= ramp->change_ns) {
    uint32_t target = schedule_slots(ramp->schedule, at_ns);
    ramp->target = target < ramp->slots ? target : ramp->slots;
    ramp->change_ns = schedule_change_ns(ramp->schedule, at_ns);
  }
  if (ramp->active < ramp->target) {
    *slot = ramp->active++;
    return RAMP_ADD;
  }
  if (ramp->active > ramp->target) {
    *slot = --ramp->active;
    return RAMP_REMOVE;
  }
  return RAMP_NONE;
}
