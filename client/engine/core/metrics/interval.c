/*
 * interval.c: a ring of four cuts between the engine (producer) and a reader (consumer). The reader empties a cut when
 * it gives it back, so that the engine never does.
 */
#include "interval.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CUTS 4u

struct intervals {
  _Atomic uint32_t handed, returned;
  struct interval ring[CUTS];
};

const char *const counter_names[COUNTERS] = {
    [COUNT_ATTEMPTS] = "attempts",
    [COUNT_OPENED] = "opened",
    [COUNT_REOPENED] = "reopened",
    [COUNT_LOST] = "lost",
    [COUNT_ABANDONED] = "abandoned",
    [COUNT_TRANSFERS] = "transfers",
    [COUNT_FAILED] = "failed",
    [COUNT_UNFINISHED] = "unfinished",
    [COUNT_BYTES_SENT] = "bytesSent",
    [COUNT_BYTES_RECEIVED] = "bytesReceived",
    [COUNT_LOG_ROWS] = "logRows",
    [COUNT_TCP_SAMPLED] = "tcpSampled",
    [COUNT_TCP_RETRANSMITTED] = "tcpRetransmitted",
    [COUNT_TCP_RETRANSMITS] = "tcpRetransmits",
    [COUNT_DUE] = "due",
    [COUNT_LATE] = "late",
    [COUNT_UNSENT] = "unsent",
    [COUNT_REJECTS + REJECT_REFUSED] = "rejects.refused",
    [COUNT_REJECTS + REJECT_RESET] = "rejects.reset",
    [COUNT_REJECTS + REJECT_TIMEOUT] = "rejects.timeout",
    [COUNT_REJECTS + REJECT_UNREACHABLE] = "rejects.unreachable",
    [COUNT_REJECTS + REJECT_LOCAL] = "rejects.local",
    [COUNT_REJECTS + REJECT_HANDSHAKE] = "rejects.handshake",
    [COUNT_REJECTS + REJECT_GREETING] = "rejects.greeting",
    [COUNT_REJECTS + REJECT_OTHER] = "rejects.other",
    [COUNT_ERRORS + ERROR_RESET] = "errors.reset",
    [COUNT_ERRORS + ERROR_CLOSED] = "errors.closed",
    [COUNT_ERRORS + ERROR_TIMEOUT] = "errors.timeout",
    [COUNT_ERRORS + ERROR_CORRUPT] = "errors.corrupt",
    [COUNT_ERRORS + ERROR_PROTOCOL] = "errors.protocol",
    [COUNT_ERRORS + ERROR_OTHER] = "errors.other",
    [COUNT_CODES + CODE_NONE] = "statuses.none",
    [COUNT_CODES + CODE_2XX] = "statuses.2xx",
    [COUNT_CODES + CODE_3XX] = "statuses.3xx",
    [COUNT_CODES + CODE_4XX] = "statuses.4xx",
    [COUNT_CODES + CODE_5XX] = "statuses.5xx",
    [COUNT_CODES + CODE_OK] = "statuses.ok",
    [COUNT_CODES + CODE_MISS] = "statuses.miss",
    [COUNT_CODES + CODE_ERROR] = "statuses.error",
};

const char *const gauge_names[GAUGES] = {
    [GAUGE_ASKED] = "asked",
    [GAUGE_CONNECTING] = "connecting",
    [GAUGE_OPEN] = "open",
    [GAUGE_UNANSWERED] = "unanswered",
    [GAUGE_BACKING_OFF] = "backingOff",
    [GAUGE_IN_FLIGHT] = "inFlight",
    [GAUGE_NEVER_ANSWERED] = "neverAnswered",
    [GAUGE_QUEUED] = "queued",
    [GAUGE_FRESH] = "fresh",
    [GAUGE_WAITING] = "waiting",
    [GAUGE_MOST_OPEN] = "mostOpen",
};

const char *const status_names[] = {"ok",       "timeout",    "reset", "closed", "corrupt",
                                    "protocol", "unfinished", "other", NULL};
const char *const phase_names[] = {"ramp", "warmup", "steady", "drain"};

static void clear(struct interval *interval) {
  memset(interval->counters, 0, sizeof interval->counters);
  memset(interval->gauges, 0, sizeof interval->gauges);
  histogram_clear(&interval->response);
  histogram_clear(&interval->service);
  histogram_clear(&interval->connect);
  histogram_clear(&interval->recovery);
  histogram_clear(&interval->handshake);
  histogram_clear(&interval->resumption);
  histogram_clear(&interval->per_connection);
  exemplars_clear(&interval->exemplars);
  interval->rtts = 0;
  interval->notice[0] = '\0';
  interval->last = false;
}

int intervals_create(struct intervals **intervals) {
  struct intervals *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  for (uint32_t i = 0; i < CUTS; i++) clear(&made->ring[i]);
  *intervals = made;
  return 0;
}

void intervals_destroy(struct intervals *intervals) { free(intervals); }

struct interval *intervals_filling(struct intervals *intervals) {
  return &intervals->ring[atomic_load_explicit(&intervals->handed, memory_order_relaxed) % CUTS];
}

struct interval *interval_publish(struct intervals *intervals) {
  uint32_t next = atomic_load_explicit(&intervals->handed, memory_order_relaxed) + 1;
  if (next - atomic_load_explicit(&intervals->returned, memory_order_acquire) >= CUTS) return NULL;
  atomic_store_explicit(&intervals->handed, next, memory_order_release);
  return &intervals->ring[next % CUTS];
}

struct interval *interval_take(struct intervals *intervals) {
  uint32_t next = atomic_load_explicit(&intervals->returned, memory_order_relaxed);
  if (next == atomic_load_explicit(&intervals->handed, memory_order_acquire)) return NULL;
  return &intervals->ring[next % CUTS];
}

void interval_release(struct intervals *intervals) {
  uint32_t next = atomic_load_explicit(&intervals->returned, memory_order_relaxed);
  clear(&intervals->ring[next % CUTS]);
  atomic_store_explicit(&intervals->returned, next + 1, memory_order_release);
}
