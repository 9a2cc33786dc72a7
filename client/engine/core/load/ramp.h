/*
 * ramp: how many slots are asked at a time; a list of (time, slots) points, each reached by a jump or by a line
 * from the point before it, rising or falling. Pure: it takes no clock; times are relative to the leg's start.
 */
#ifndef BROADSIDE_RAMP_H
#define BROADSIDE_RAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule_point {
  uint64_t at_ns;
  uint32_t slots; /* asked from at_ns on, in all */
  bool line;      /* true: rises or falls evenly since the point before; false: jumps at at_ns */
};

struct schedule {
  const struct schedule_point *points; /* ascending in at_ns; owned by the caller */
  size_t count;
};

/* 0, or -EINVAL when the points do not ascend. */
int schedule_check(const struct schedule *schedule);

/* Slots asked at AT_NS. On a line each begins, or ceases, once its time has come. */
uint32_t schedule_slots(const struct schedule *schedule, uint64_t at_ns);

/* A time after AT_NS until which as many slots are asked as at AT_NS; NS_NEVER: for ever. At that time it is mostly
 * another number: not where of two points at one time the second takes back the first. */
uint64_t schedule_change_ns(const struct schedule *schedule, uint64_t at_ns);

#endif
