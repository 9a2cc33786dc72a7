/*
 * ramp: how many slots are active at a time, by a schedule: a list of (time, slots) points, each reached by a jump or
 * by a line from the point before it, rising or falling. Slots 0 .. active - 1 are active; lowering the target
 * deactivates from the top. Pure: it takes no clock; times are relative to the leg's start.
 */
#ifndef BROADSIDE_RAMP_H
#define BROADSIDE_RAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule_point {
  uint64_t at_ns;
  uint32_t slots; /* active from at_ns on, in all */
  bool line;      /* true: rises or falls evenly since the point before; false: jumps at at_ns */
};

struct schedule {
  const struct schedule_point *points; /* ascending in at_ns; owned by the caller */
  size_t count;
};

/* 0, or -EINVAL when the points do not ascend. */
int schedule_check(const struct schedule *schedule);

/* Slots active at AT_NS. On a line each begins, or ceases, once its time has come. */
uint32_t schedule_slots(const struct schedule *schedule, uint64_t at_ns);

/* A time after AT_NS until which the number of active slots does not change; NS_NEVER: it never does. At that time it
 * usually changes: not where the second of two points at one time undoes the first. */
uint64_t schedule_change_ns(const struct schedule *schedule, uint64_t at_ns);

struct ramp {
  const struct schedule *schedule;
  uint32_t slots;     /* of the engine; no more are ever active */
  uint32_t active;    /* slots before this one are active */
  uint32_t target;    /* what the schedule calls for */
  uint64_t change_ns; /* when the target changes next */
};

enum ramp_step { RAMP_NONE, RAMP_ADD, RAMP_REMOVE };

/* Brings the target up to AT_NS, and *SLOT one step nearer to it: it is active from now on, or no longer. */
enum ramp_step ramp_next(struct ramp *ramp, uint64_t at_ns, uint32_t *slot);

static inline bool ramp_is_active(const struct ramp *ramp, uint32_t slot) { return slot < ramp->active; }

#endif
