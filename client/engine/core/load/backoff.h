/*
 * backoff: how long a slot waits before it tries again. Exponential with equal jitter (uniform in the upper half of
 * the interval; M. Brooker, "Exponential Backoff and Jitter", 2015): spread enough not to storm, never near zero.
 * Pure: the seed is an argument.
 */
#ifndef BROADSIDE_BACKOFF_H
#define BROADSIDE_BACKOFF_H

#include <stdint.h>

struct backoff {
  uint64_t base_ns, cap_ns;
  double factor; /* >= 1 */
};

/* The wait after the FAILURES-th failure in a row (1 for the first), in (d/2, d] with d = min(cap, base *
 * factor^(n-1)). */
uint64_t backoff_wait_ns(const struct backoff *backoff, unsigned failures, uint64_t *random);

#endif
