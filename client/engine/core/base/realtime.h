/*
 * realtime: converts times of CLOCK_REALTIME, which the kernel's timestamps have, to the engine's clock. The offset of
 * the two is measured at each conversion, so that a step of CLOCK_REALTIME (by an administrator or a leap second; time
 * synchronisation slews both clocks alike) is noticed and never ends up in a time. One thread.
 */
#ifndef BROADSIDE_REALTIME_H
#define BROADSIDE_REALTIME_H

#include <stdbool.h>

#include "clock.h"

struct realtime {
  struct clock clock, real; /* the engine's clock, and CLOCK_REALTIME */
  int64_t offset_ns;        /* the second minus the first */
  bool is_known;
  uint64_t stepped_ns; /* on the engine's clock: when the last step was noticed; 0: none was */
};

/* The real one, as a struct clock's function; CONTEXT is not used. Any thread. */
uint64_t realtime_now_ns(void *context);

/* REAL_NS, a time of a moment ago, on the engine's clock; 0 where the offset cannot be measured. */
uint64_t realtime_convert(struct realtime *realtime, uint64_t real_ns);

#endif
