/*
 * schedule.c: a linear look through a short list; called once a turn, not once a transfer.
 */
#include "schedule.h"

#include <errno.h>

#include "clock.h"

static struct schedule_point before(const struct schedule *schedule, size_t index) {
  return index == 0 ? (struct schedule_point){0, 0, false} : schedule->points[index - 1];
}

int schedule_check(const struct schedule *schedule) {
  for (size_t i = 0; i < schedule->count; i++) {
    struct schedule_point from = before(schedule, i);
    if (schedule->points[i].at_ns < from.at_ns || schedule->points[i].slots < from.slots) return -EINVAL;
  }
  return 0;
}

uint32_t schedule_slots(const struct schedule *schedule, uint64_t at_ns) {
  uint32_t slots = 0;
  for (size_t i = 0; i < schedule->count; i++) {
    struct schedule_point from = before(schedule, i), to = schedule->points[i];
    if (at_ns >= to.at_ns) {
      slots = to.slots;
      continue;
    }
    if (to.line && at_ns > from.at_ns) {
      unsigned __int128 risen = (unsigned __int128)(to.slots - from.slots) * (at_ns - from.at_ns);
      slots = from.slots + (uint32_t)(risen / (to.at_ns - from.at_ns));
    }
    break;
  }
  return slots;
}

uint64_t schedule_next_ns(const struct schedule *schedule, uint32_t slots) {
  for (size_t i = 0; i < schedule->count; i++) {
    struct schedule_point from = before(schedule, i), to = schedule->points[i];
    if (to.slots <= slots) continue;
    if (!to.line || to.at_ns == from.at_ns || slots < from.slots) return to.line ? from.at_ns : to.at_ns;
    uint32_t rise = to.slots - from.slots, wanted = slots - from.slots + 1;
    unsigned __int128 span = (unsigned __int128)(to.at_ns - from.at_ns) * wanted;
    return from.at_ns + (uint64_t)((span + rise - 1) / rise);
  }
  return NS_NEVER;
}
