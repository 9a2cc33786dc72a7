/*
 * schedule: how many slots are asked at a time; a list of (time, slots) points, each reached by a jump or by a line
 * from the point before it. Pure: it takes no clock; times are relative to the leg's start.
 */
#ifndef BROADSIDE_SCHEDULE_H
#define BROADSIDE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule_point {
  uint64_t at_ns;
  uint32_t slots; /* asked from at_ns on, in all */
  bool line;      /* true: rises evenly since the point before; false: jumps at at_ns */
};

struct schedule {
  const struct schedule_point *points; /* ascending in at_ns and slots; owned by the caller */
  size_t count;
};

/* 0, or -EINVAL when the points do not ascend. */
int schedule_check(const struct schedule *schedule);

/* Slots asked at AT_NS. */
uint32_t schedule_slots(const struct schedule *schedule, uint64_t at_ns);

/* The earliest time at which more than SLOTS are asked; NS_NEVER when that never happens. */
uint64_t schedule_next_ns(const struct schedule *schedule, uint32_t slots);

#endif
