/*
 * interval: what happened between two boundaries of a leg (whole seconds and changes of phase), and the ring in which
 * the engine hands intervals to another thread.
 *
 *   engine: begin -> fill -> end -> add TCP readings -> publish      reader: take -> read -> release (emptied)
 *
 * A reader that stalls leaves no empty interval. Then the engine keeps filling the same one over several seconds,
 * which is marked as merged. An interval never spans two phases: for each phase still to come one interval is kept
 * back.
 */
#ifndef BROADSIDE_INTERVAL_H
#define BROADSIDE_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "counters.h"
#include "exemplars.h"
#include "histogram.h"
#include "phase.h"
#include "quote.h"

#define INTERVALS 8u
#define INTERVAL_TCP_SAMPLES 64u /* connections whose TCP_INFO is read at the end of an interval, at most */

#define TENTHS 10u

/* What became of one request of a list. */
struct request_figures {
  struct histogram response; /* its count: whole replies */
  uint64_t failed, unfinished;
  uint64_t codes[CODES]; /* whole replies, by enum code */
};

struct interval {
  uint64_t from_ns, to_ns; /* relative to the leg's start */
  enum phase phase;
  bool last;
  bool merged; /* spans several seconds, because the reader had not released any interval */
  uint64_t counters[COUNTERS];
  uint32_t status_codes[STATUS_CODES]; /* whole replies, by their three digits */
  uint64_t gauges[GAUGES];
  struct histogram histograms[HISTOGRAMS]; /* HISTOGRAM_PER_CONNECTION: in the last interval */
  uint64_t
      tenths[TENTHS]; /* HISTOGRAM_PER_CONNECTION, added up by tenth of the slots, in the order in which these open */
  struct exemplars exemplars;
  uint64_t rtt_ns[INTERVAL_TCP_SAMPLES]; /* smoothed round-trip times of the connections that were sampled */
  uint32_t rtts;
  uint64_t quiet_from_ns, quiet_to_ns; /* the longest time without a reply while some were awaited, relative to the
                                          leg's start; it may have begun before the interval; both 0: none */
  struct tls_failure tls_failure;      /* the first of the leg, in one interval; TLS_FAILURE_NONE in all others */
  struct quote quotes[QUOTES_MAX];     /* those that are the first of their kind and state */
  uint32_t quote_count;
  uint32_t request_count;
  struct request_figures requests[]; /* of a list; none where there is no list */
};

struct intervals;

/* REQUESTS: of a list, whose figures each interval has. Returns 0 or -ENOMEM. */
int intervals_create(uint32_t requests, struct intervals **intervals);
void intervals_destroy(struct intervals *intervals);

/* The engine's: the interval being filled. */
struct interval *intervals_filling(struct intervals *intervals);

/* The engine's: how many intervals are empty. */
uint32_t intervals_empty(const struct intervals *intervals);

/* The engine's: ends the interval being filled. The next one is filled from then on; it must be empty, except after
 * the last interval of the leg. */
void intervals_advance(struct intervals *intervals);

/* The engine's: the oldest interval that has ended and is not published yet; NULL: none. */
struct interval *interval_ended(struct intervals *intervals);

/* The engine's: hands the interval of interval_ended() to the reader. */
void interval_publish(struct intervals *intervals);

/* The reader's: the oldest interval published, NULL when there is none; release it before taking the next. */
struct interval *interval_take(struct intervals *intervals);
void interval_release(struct intervals *intervals);

#endif
