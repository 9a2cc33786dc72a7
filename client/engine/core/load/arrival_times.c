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
#define ROUNDED 1e-6 /* a request that is due at the end of a piece, but for rounding, belongs to the next one */

/* One piece of the rates: from one point to the next, or on without end. */
struct piece {
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

static struct piece piece_of(const struct rates *rates, size_t index) {
  const struct rate_point *from = &rates->points[index], *to = from + 1;
  if (index + 1 == rates->count) return (struct piece){from->rate, from->rate, INFINITY};
  return (struct piece){from->rate, to->line ? to->rate : from->rate, (double)(to->at_ns - from->at_ns)};
}

/* The requests of the first NS_OF_IT of a piece. */
static double requests_in(const struct piece *piece, double ns_of_it) {
  if (piece->from == piece->to || !(piece->ns > 0)) return piece->from * (ns_of_it / NS);
  double rise = (piece->to - piece->from) * (ns_of_it / piece->ns);
  return (piece->from + rise / 2) * (ns_of_it / NS);
}

/* After how many ns of a piece so many REQUESTS are due; they are fewer than it has. On a line, the root of a quadratic
 * equation, in the form in which nothing cancels. */
static double ns_until(const struct piece *piece, double requests) {
  if (!(requests > 0)) return 0;
  if (piece->from == piece->to) return requests * (NS / piece->from);
  double slope = (piece->to - piece->from) / (piece->ns / NS);
  double root = sqrt(fmax(0, piece->from * piece->from + 2 * slope * requests));
  return fmin(piece->ns, 2 * requests / (piece->from + root) * NS);
}

static void put_next(struct arrivals *arrivals) {
  const struct rates *rates = arrivals->rates;
  struct piece piece = piece_of(rates, arrivals->piece);
  while (arrivals->piece + 1 < rates->count) {
    double whole = requests_in(&piece, piece.ns);
    if (arrivals->count < arrivals->before + whole - ROUNDED) break;
    arrivals->before += whole;
    piece = piece_of(rates, ++arrivals->piece);
  }
  double ns = piece.to > 0 || piece.from > 0 ? ns_until(&piece, arrivals->count - arrivals->before) : INFINITY;
  uint64_t at_ns = arrivals->from_ns + rates->points[arrivals->piece].at_ns;
  arrivals->next_ns = ns < 0x1p63 ? at_ns + (uint64_t)ns : NS_NEVER;
}

/* Waits of a Poisson process are exponential: inverse transform sampling. */
static double wait_of(struct arrivals *arrivals) {
  if (!arrivals->poisson) return 1;
  return -log1p(-(double)(splitmix64_next(&arrivals->random) >> 11) * UNIT);
}

/* What the rates ask for until AT_NS after they began. */
static double requests_until(const struct rates *rates, uint64_t at_ns) {
  double sum = 0;
  for (size_t i = 0; i < rates->count && rates->points[i].at_ns < at_ns; i++) {
    struct piece piece = piece_of(rates, i);
    sum += requests_in(&piece, fmin(piece.ns, (double)(at_ns - rates->points[i].at_ns)));
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
