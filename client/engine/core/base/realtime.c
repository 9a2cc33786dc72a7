/*
 * realtime.c: a reading of CLOCK_REALTIME between two of the engine's clock.
 */
#include "realtime.h"

#define READINGS 4u         /* at most: the thread may be interrupted between two readings of a clock */
#define SPAN_MOST_NS 2000u  /* how far apart the two readings of the engine's clock may be */
#define STEP_LEAST_NS 20000 /* a change of the offset by more than this is a step */

uint64_t realtime_now_ns(void *context) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* True when the offset was measured; *NOW_NS: when, on the engine's clock. */
static bool measure(const struct realtime *realtime, int64_t *offset_ns, uint64_t *now_ns) {
  for (unsigned i = 0; i < READINGS; i++) {
    uint64_t before_ns = clock_now(&realtime->clock), real_ns = clock_now(&realtime->real);
    *now_ns = clock_now(&realtime->clock);
    *offset_ns = (int64_t)(real_ns - (before_ns + (*now_ns - before_ns) / 2));
    if (*now_ns - before_ns <= SPAN_MOST_NS) return true;
  }
  return false;
}

uint64_t realtime_convert(struct realtime *realtime, uint64_t real_ns) {
  int64_t offset_ns;
  uint64_t now_ns;
  if (!measure(realtime, &offset_ns, &now_ns)) return 0;
  int64_t change_ns = offset_ns - realtime->offset_ns;
  if (realtime->is_known && (change_ns > STEP_LEAST_NS || change_ns < -STEP_LEAST_NS)) realtime->stepped_ns = now_ns;
  realtime->is_known = true;
  realtime->offset_ns = offset_ns;
  return real_ns - (uint64_t)offset_ns;
}
