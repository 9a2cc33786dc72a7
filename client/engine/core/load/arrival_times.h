/*
 * arrival_times: when the requests of an open loop become due, one after another: evenly spaced, or a Poisson process,
 * at a rate that may change in steps and along lines. Pure and reproducible: a copy yields the same times, so that a
 * queue of due requests needs no memory.
 */
#ifndef BROADSIDE_ARRIVAL_TIMES_H
#define BROADSIDE_ARRIVAL_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rate_point {
  uint64_t at_ns; /* relative to where the rates begin */
  double rate;    /* a second, from at_ns on */
  bool line;      /* true: changes evenly since the point before; false: jumps at at_ns */
};

struct rates {
  const struct rate_point *points; /* the first at 0, ascending in at_ns; the last one's rate stays; the caller's */
  size_t count;
};

/* 0, or -EINVAL: no points, times that descend, a rate below 0, or no rate above 0. */
int rates_check(const struct rates *rates);

struct arrivals {
  uint64_t next_ns; /* when the next request becomes due; NS_NEVER: none does */
  const struct rates *rates;
  uint64_t from_ns, random;
  double count;   /* the integral of the rates until next_ns */
  double before;  /* ... until the beginning of the segment that next_ns lies in */
  size_t segment; /* the point that begins it */
  bool poisson;
};

/* The first request due from LATER_NS after FROM_NS on, where RATES begin at FROM_NS. Evenly spaced requests begin
 * SHARE (0..1) of their distance after FROM_NS, so that engines that share a rate take turns, and are due at the same
 * times whatever LATER_NS is. The rates must outlive it. */
void arrivals_begin(struct arrivals *arrivals, const struct rates *rates, uint64_t from_ns, uint64_t later_ns,
                    double share, bool poisson, uint64_t seed);

/* Advances to the next request. */
void arrivals_advance(struct arrivals *arrivals);

/* No request becomes due from UNTIL_NS (absolute) on. Returns how many are due before that and have not been taken. Its
 * time is bounded: a large number of a Poisson process is drawn as a whole. */
uint64_t arrivals_end(struct arrivals *arrivals, uint64_t until_ns);

#endif
