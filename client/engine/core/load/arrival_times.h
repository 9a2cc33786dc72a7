/*
 * arrival_times: when the requests of an open loop are due, one after another: evenly spaced, or a Poisson process, at
 * a rate that may change in steps and along lines. Pure, and the same again from the same seed: a copy of one goes the
 * same way, so that a queue of due requests needs no memory.
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
  const struct rate_point *points; /* the first at 0, ascending in at_ns; the last one's rate holds on; the caller's */
  size_t count;
};

/* 0, or -EINVAL when it cannot be: no points, times that descend, a rate below 0, or nothing but rates of 0. */
int rates_check(const struct rates *rates);

struct arrivals {
  uint64_t next_ns; /* when the next is due; NS_NEVER: none is */
  const struct rates *rates;
  uint64_t from_ns, random;
  double count;  /* of requests that the rates ask for until the next is due */
  double before; /* ... until the point that began the piece it is in */
  size_t piece;  /* from that point on */
  bool poisson;
};

/* The first that the RATES, which begin at FROM_NS, ask for from LATER_NS after that on. Evenly spaced ones begin SHARE
 * (0..1) of an interval after FROM_NS, so that engines that share a rate take turns, and are due at the same times
 * whenever one begins. The rates must outlive it. */
void arrivals_begin(struct arrivals *arrivals, const struct rates *rates, uint64_t from_ns, uint64_t later_ns,
                    double share, bool poisson, uint64_t seed);

/* Goes on to the one after. */
void arrivals_advance(struct arrivals *arrivals);

#endif
