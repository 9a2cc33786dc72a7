/*
 * leg: runs an engine through one leg on the fake transport, and keeps its intervals and their sums.
 */
#ifndef BROADSIDE_LEG_H
#define BROADSIDE_LEG_H

#include "../../client/engine/core/engine.h"
#include "fake_transport.h"

#define LEG_INTERVALS 256u

/* What is kept of an interval. */
struct leg_interval {
  enum phase phase;
  bool last, merged;
  uint64_t from_ns, to_ns, transfers, open, requested, in_flight, queued, attempts, rtts, rtt_ns, unanswered,
      opened_last_second; /* rtt_ns: the last of the rtts */
  uint64_t turns;         /* of the world so far */
};

struct leg {
  struct engine_settings settings;
  struct fake_world world;
  struct schedule_point points[8];
  struct rate_point rates[8];
  bool stalls; /* nothing is read when an interval is published: the test calls leg_read() */
  /* what came of it */
  int error;
  uint32_t intervals;
  uint64_t counters[COUNTERS];
  uint64_t tenths[TENTHS];
  uint64_t peaks[GAUGES]; /* of the gauges at the ends of intervals */
  uint64_t ends[GAUGES];  /* of the gauges at the end of the leg */
  struct leg_interval interval[LEG_INTERVALS];
  struct histogram histograms[HISTOGRAMS]; /* of all intervals */
  struct histogram steady;                 /* the response times of the steady state */
  struct quote quotes[QUOTES_MAX];
  uint32_t quote_count;
  uint32_t listed;                                                           /* requests of a list */
  uint64_t listed_transfers, listed_codes, listed_failed, listed_unfinished; /* of all of them */
  struct engine *engine;
};

/* A leg of its own memory: SLOTS active at once, 2 s of ramp, steady until 10 s, continuous, 64-byte payload. A test
 * changes what differs, and runs it. */
struct leg *leg_new(uint32_t slots);

/* Checks its books, and frees it. */
void leg_end(struct leg *leg);

/* Runs one with settings that cannot be, and frees it. */
void leg_refused(struct leg *leg);

/* Gives it a rate from the steady state on: a constant one, or the first COUNT of its rates. */
void leg_at_rate(struct leg *leg, double rate);
void leg_open_loop(struct leg *leg, size_t count);

/* Reads what has been published; on_interval of every leg, unless it stalls. */
void leg_read(struct leg *leg);

/* Runs it to its end; the leg begins at LEG_START_NS of the world's clock, which is also the run's zero. */
#define LEG_START_NS UINT64_C(1000000000000)
void leg_run(struct leg *leg);

uint64_t leg_rejects(const struct leg *leg);
uint64_t leg_errors(const struct leg *leg);
uint64_t leg_omitted(const struct leg *leg);

/* Odd slots are served in 1 ms, even ones never. */
struct fate fate_odd_only(struct fake_world *world, uint32_t slot);

#define MS UINT64_C(1000000)
#define SECOND NS_PER_SECOND

#endif
