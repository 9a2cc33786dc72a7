/*
 * arrivals: when the requests of an open loop are due, one after another: evenly spaced, or a Poisson process. Pure,
 * and the same again from the same seed: a copy of one goes the same way, so that a queue of due requests needs no
 * memory.
 */
#ifndef BROADSIDE_ARRIVALS_H
#define BROADSIDE_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

struct arrivals {
  uint64_t next_ns; /* when the next is due */
  uint64_t from_ns, random;
  double interval_ns, intervals; /* the mean one; how many of it have passed since from_ns */
  bool poisson;
};

/* The first of RATE (> 0) a second from FROM_NS on; evenly spaced ones begin SHARE (0..1) of an interval later, so that
 * engines that share a rate take turns. */
void arrivals_begin(struct arrivals *arrivals, uint64_t from_ns, double rate, double share, bool poisson,
                    uint64_t seed);

/* Goes on to the one after. */
void arrivals_advance(struct arrivals *arrivals);

#endif
