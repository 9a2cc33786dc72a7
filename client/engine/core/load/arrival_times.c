/*
 * arrival_times.c: the n-th request is due when the integral of the rate since the beginning is n, and of a Poisson
 * process when it is the sum of n exponential waits of mean 1 (time change). That integral is inverted, never stepped:
 * rounded times do not add up.
 */
#include "arrival_times.h"

#include <errno.h>
#include <math.h>

#include "../base/clock.h"
#include "../base/splitmix64.h"

#define UNIT 0x1p-53 /* 53 random bits make a double of 0 <= x < 1 */
#define NS ((double)NS_PER_SECOND)
#define STEPS_MOST 65536.0 /* requests that arrivals_end() counts one by one */
#define ROUNDED 1e-6       /* a request due at the end of a segment, up to rounding, belongs to the next one */

/* A segment of the rates: from one point to the next, or from the last one on. */
struct segment {
  double from, to; /* a second */
  double ns;       /* its length; INFINITY of the last */
};

int rates_check(const struct rates *rates) {
  bool any = false;
  if (rates->count == 0 || rates->points[0].at_ns != 0) return -EINVAL;
  for (size_t i = 0; i < rates->count; i++) {
    const struct rate_point *point = &rates->points[i];
    if (!(point->rate >= 0) || isinf(point->rate)) return -EINVAL;
    if (i > 0 && point->at_ns < point[-1].at_ns) return -EINVAL;
    any |= point->rate > 0;
  }
  return any ? 0 : -EINVAL;
}

static struct segment segment_of(const struct rates *rates, size_t index) {
  const struct rate_point *from = &rates->points[index], *to = from + 1;
  if (index + 1 == rates->count) return (struct segment){from->rate, from->rate, INFINITY};
  return (struct segment){from->rate, to->line ? to->rate : from->rate, (double)(to->at_ns - from->at_ns)};
}

/* How many requests become due in the first NS of a segment. */
static double requests_in(const struct segment *segment, double ns) {
  if (segment->from == segment->to || !(segment->ns > 0)) return segment->from * (ns / NS);
  double rise = (segment->to - segment->from) * (ns / segment->ns);
  return (segment->from + rise / 2) * (ns / NS);
}

/* After how many ns of a segment REQUESTS of it have become due; it has more. On a line, the root of a quadratic
 * equation, in the form in which nothing cancels. */
static double ns_until(const struct segment *segment, double requests) {
  if (!(requests > 0)) return 0;
  if (segment->from == segment->to) return requests * (NS / segment->from);
  double slope = (segment->to - segment->from) / (segment->ns / NS);
  double root = sqrt(fmax(0, segment->from * segment->from + 2 * slope * requests));
  return fmin(segment->ns, 2 * requests / (segment->from + root) * NS);
}

static void put_next(struct arrivals *arrivals) {
  const struct rates *rates = arrivals->rates;
  struct segment segment = segment_of(rates, arrivals->segment);
  while (arrivals->segment + 1 < rates->count) {
    double whole = requests_in(&segment, segment.ns);
    if (arrivals->count < arrivals->before + whole - ROUNDED) break;
    arrivals->before += whole;
    segment = segment_of(rates, ++arrivals->segment);
  }
  double ns = segment.to > 0 || segment.from > 0 ? ns_until(&segment, arrivals->count - arrivals->before) : INFINITY;
  uint64_t at_ns = arrivals->from_ns + rates->points[arrivals->segment].at_ns;
  arrivals->next_ns = ns < 0x1p63 ? at_ns + (uint64_t)ns : NS_NEVER;
}

/* Waits of a Poisson process are exponential: inverse transform sampling. */
static double wait_of(struct arrivals *arrivals) {
  if (!arrivals->poisson) return 1;
  return -log1p(-(double)(splitmix64_next(&arrivals->random) >> 11) * UNIT);
}

/* How many requests become due until AT_NS after the rates began. */
static double requests_until(const struct rates *rates, uint64_t at_ns) {
  double sum = 0;
  for (size_t i = 0; i < rates->count && rates->points[i].at_ns < at_ns; i++) {
    struct segment segment = segment_of(rates, i);
    sum += requests_in(&segment, fmin(segment.ns, (double)(at_ns - rates->points[i].at_ns)));
  }
  return sum;
}

void arrivals_begin(struct arrivals *arrivals, const struct rates *rates, uint64_t from_ns, uint64_t later_ns,
                    double share, bool poisson, uint64_t seed) {
  *arrivals = (struct arrivals){.rates = rates, .from_ns = from_ns, .random = seed, .poisson = poisson};
  double before = requests_until(rates, later_ns);
  arrivals->count = poisson ? before + wait_of(arrivals) : share + fmax(0, ceil(before - share - ROUNDED));
  put_next(arrivals);
}

void arrivals_advance(struct arrivals *arrivals) {
  if (arrivals->next_ns == NS_NEVER) return;
  arrivals->count += wait_of(arrivals);
  put_next(arrivals);
}

/* A number of the standard normal distribution (Box and Muller). */
static double normal_of(struct arrivals *arrivals) {
  double radius = sqrt(2 * wait_of(arrivals));
  return radius * cos(2 * M_PI * (double)(splitmix64_next(&arrivals->random) >> 11) * UNIT);
}

uint64_t arrivals_end(struct arrivals *arrivals, uint64_t until_ns) {
  uint64_t due = 0;
  double left = until_ns > arrivals->from_ns
                    ? requests_until(arrivals->rates, until_ns - arrivals->from_ns) - arrivals->count
                    : 0;
  if (left > STEPS_MOST && arrivals->poisson) { /* a Poisson number this large is nearly normal */
    due = (uint64_t)(left + sqrt(left) * normal_of(arrivals));
  } else {
    if (left > STEPS_MOST) { /* but the last ones, which rounding may move across the end */
      due = (uint64_t)left - 1;
      arrivals->count += (double)due;
      put_next(arrivals);
    }
    for (; arrivals->next_ns < until_ns; due++) arrivals_advance(arrivals);
  }
  arrivals->next_ns = NS_NEVER;
  return due;
}
