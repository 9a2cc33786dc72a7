/*
 * clock: where the engine takes its times from. One clock for all processes of the machine (CLOCK_MONOTONIC),
 * or a fake one in tests. Nothing else in core/ asks the system for the time.
 */
#ifndef BROADSIDE_CLOCK_H
#define BROADSIDE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_NEVER UINT64_MAX

struct clock {
  uint64_t (*now_ns)(void *context);
  void *context;
};

static inline uint64_t clock_now(const struct clock *clock) { return clock->now_ns(clock->context); }

struct time_span {
  uint64_t from_ns, to_ns;
};

/* The earlier of two times. */
static inline uint64_t earlier_ns(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The real one; CONTEXT is not used. Any thread. */
static inline uint64_t clock_monotonic_ns(void *context) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

#endif
