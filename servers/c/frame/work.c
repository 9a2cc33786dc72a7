/* See work.h. Spinning ends by the thread's CPU clock, not by wall time, so a thread that waits for a core does not do
 * less work. */
#include "work.h"

#include <errno.h>
#include <time.h>

/* SplitMix64 (Steele, Lea, Flood 2014); any seed is suitable. */
static uint64_t next_random(uint64_t *state) {
  uint64_t mixed = (*state += UINT64_C(0x9E3779B97F4A7C15));
  mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
  return mixed ^ (mixed >> 31);
}

void work_init(struct work *work, const struct work_plan *plan, uint64_t number, bool blocks) {
  uint64_t state = plan->seed;
  state = next_random(&state) + (uint64_t)server_process_number();
  state = next_random(&state) + number;
  *work = (struct work){.plan = plan, .state = state, .blocks = blocks};
}

static int64_t draw_ns(struct work *work) {
  const uint64_t span = (uint64_t)(work->plan->max_ns - work->plan->min_ns) + 1;
  return work->plan->min_ns + (int64_t)(next_random(&work->state) % span); /* a span is far below 2^63 */
}

static int64_t cpu_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static void spin(int64_t ns) {
  for (const int64_t end = cpu_ns() + ns; cpu_ns() < end;) {
  }
}

static void sleep_ns(int64_t ns) {
  const int64_t end = server_now_ns() + ns;
  const struct timespec until = {.tv_sec = end / 1000000000, .tv_nsec = end % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
}

int64_t work_do(struct work *work, unsigned requests) {
  if (!work->plan->any) {
    return 0;
  }
  int64_t ns = 0;
  for (unsigned i = 0; i < requests; i++) {
    ns += draw_ns(work);
  }
  if (work->plan->kind == WORK_SPIN) {
    spin(ns);
    return 0;
  }
  if (work->plan->kind == WORK_BLOCK || work->blocks) {
    sleep_ns(ns);
    return 0;
  }
  return ns;
}
