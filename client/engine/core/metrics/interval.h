/*
 * interval: what happened between two boundaries of a leg (whole seconds and changes of phase), and the ring in which
 * the engine hands cuts to another thread. The engine fills one while the reader reads others; if the reader stalls and
 * no cut is empty, the engine goes on filling the same one, which then spans several boundaries.
 */
#ifndef BROADSIDE_INTERVAL_H
#define BROADSIDE_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/failure.h"
#include "../base/reply_code.h"
#include "exemplars.h"
#include "histogram.h"

#define INTERVAL_NOTICE_BYTES 200u
#define INTERVAL_TCP_SAMPLES 64u /* connections inspected at the end of a cut, at most */

enum phase { PHASE_RAMP, PHASE_WARMUP, PHASE_STEADY, PHASE_DRAIN };

/* Counters are of the span, but for those of TCP, which are readings at its end; counter_names and gauge_names
 * give their names in order. */
enum counter {
  COUNT_ATTEMPTS,
  COUNT_OPENED,
  COUNT_REOPENED,
  COUNT_LOST,
  COUNT_ABANDONED,
  COUNT_TRANSFERS,
  COUNT_FAILED,
  COUNT_UNFINISHED,
  COUNT_BYTES_SENT,
  COUNT_BYTES_RECEIVED,
  COUNT_LOG_ROWS,
  COUNT_TCP_SAMPLED,       /* open connections that were inspected */
  COUNT_TCP_RETRANSMITTED, /* those of them with a retransmission in their life */
  COUNT_TCP_RETRANSMITS,   /* the sum of these */
  COUNT_DUE,               /* open loop: requests that the schedule asked for */
  COUNT_LATE,              /* ... that were sent, but had to wait for a connection */
  COUNT_UNSENT,            /* ... that were never sent */
  COUNT_REJECTS,
  COUNT_ERRORS = COUNT_REJECTS + REJECT_CAUSES,
  COUNT_CODES = COUNT_ERRORS + ERROR_CAUSES, /* whole replies by enum code */
  COUNTERS = COUNT_CODES + CODES
};

/* Gauges are at the end of the span. */
enum gauge {
  GAUGE_ASKED,
  GAUGE_CONNECTING,
  GAUGE_OPEN,
  GAUGE_UNANSWERED,
  GAUGE_BACKING_OFF,
  GAUGE_IN_FLIGHT,
  GAUGE_NEVER_ANSWERED,
  GAUGE_QUEUED,
  GAUGE_FRESH,     /* of the unanswered those opened since the cut began */
  GAUGE_WAITING,   /* open loop: requests that are due and wait for a connection */
  GAUGE_MOST_OPEN, /* the most that were open at a time since the cut began */
  GAUGES
};

extern const char *const counter_names[COUNTERS];
extern const char *const gauge_names[GAUGES];
extern const char *const status_names[];
extern const char *const phase_names[];

struct interval {
  uint64_t from_ns, to_ns; /* relative to the leg's start */
  enum phase phase;
  bool last;
  uint64_t counters[COUNTERS];
  uint64_t gauges[GAUGES];
  struct histogram response, connect, recovery;
  struct histogram handshake;      /* TLS: from when its first bytes were sent until the connection was secured */
  struct histogram resumption;     /* ... where it took up an earlier session; handshake has the others */
  struct histogram service;        /* open loop: from when a request was sent, not from when it was due */
  struct histogram per_connection; /* of the last cut: steady-state transfers by slot */
  struct exemplars exemplars;
  uint64_t rtt_ns[INTERVAL_TCP_SAMPLES]; /* smoothed round-trip times of the inspected connections, as TCP has them */
  uint32_t rtts;
  char notice[INTERVAL_NOTICE_BYTES]; /* what a person should be told, once; "" for nothing */
};

struct intervals;

int intervals_create(struct intervals **intervals); /* 0 or -ENOMEM */
void intervals_destroy(struct intervals *intervals);

/* The engine's: the cut being filled. */
struct interval *intervals_filling(struct intervals *intervals);

/* The engine's: hands the filled cut over and returns the next, empty one; NULL when there is none: keep filling. */
struct interval *interval_publish(struct intervals *intervals);

/* The reader's: the oldest cut handed over, NULL when there is none; give it back before asking for the next. */
struct interval *interval_take(struct intervals *intervals);
void interval_release(struct intervals *intervals);

#endif
