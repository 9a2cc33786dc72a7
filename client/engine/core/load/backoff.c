/*
 * backoff.c: the arithmetic of waiting. The power is bounded by the cap before it can overflow.
 */
#include "backoff.h"

#include "../base/splitmix64.h"

uint64_t backoff_wait_ns(const struct backoff *backoff, unsigned failures, uint64_t *random) {
  double wait = (double)backoff->base_ns, cap = (double)backoff->cap_ns;
  for (unsigned i = 1; i < failures && wait < cap && backoff->factor > 1.0; i++) wait *= backoff->factor;
  uint64_t whole = wait >= cap ? backoff->cap_ns : (uint64_t)wait;
  uint64_t half = whole / 2;
  return whole - splitmix64_below(random, whole - half);
}
