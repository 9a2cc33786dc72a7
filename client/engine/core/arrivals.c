/*
 * arrivals.c: time is a number of mean intervals since the beginning, never a sum of rounded steps: it does not drift.
 */
#include "arrivals.h"

#include <math.h>

#include "clock.h"
#include "random.h"

#define UNIT 0x1p-53 /* 53 random bits make a double of 0 <= x < 1 */

static void put_next(struct arrivals *arrivals) {
  arrivals->next_ns = arrivals->from_ns + (uint64_t)(arrivals->intervals * arrivals->interval_ns);
}

/* Waits of a Poisson process are exponential: inverse transform sampling. */
static double wait_of(struct arrivals *arrivals) {
  if (!arrivals->poisson) return 1;
  return -log1p(-(double)(random_next(&arrivals->random) >> 11) * UNIT);
}

void arrivals_begin(struct arrivals *arrivals, uint64_t from_ns, double rate, double share, bool poisson,
                    uint64_t seed) {
  *arrivals = (struct arrivals){
      .from_ns = from_ns, .random = seed, .interval_ns = (double)NS_PER_SECOND / rate, .poisson = poisson};
  arrivals->intervals = poisson ? wait_of(arrivals) : share;
  put_next(arrivals);
}

void arrivals_advance(struct arrivals *arrivals) {
  arrivals->intervals += wait_of(arrivals);
  put_next(arrivals);
}
