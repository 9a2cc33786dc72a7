/*
 * recorder: the only writer of counters, gauges, histograms, exemplars, log rows and interval boundaries. Its
 * callers report what happened to attempts, connections and requests; it knows nothing of slots or sockets.
 *
 * Crossing a boundary starts the next interval and sets a flag, so that it may happen inside a transport event. What a
 * boundary causes besides (TCP_INFO, flushing the log, waking the reader) the loop does after the turn, while
 * recorder_ended() returns intervals. One thread; times are absolute unless stated otherwise.
 */
#ifndef BROADSIDE_RECORDER_H
#define BROADSIDE_RECORDER_H

#include <netinet/tcp.h>

#include "../base/clock.h"
#include "../base/splitmix64.h"
#include "interval.h"
#include "split.h"
#include "transfer_log.h"

struct recorder {
  struct interval *interval; /* being filled */
  uint64_t boundary_ns;      /* where it ends */
  enum phase phase;
  bool crossed; /* a boundary was crossed since recorder_take_crossed() */
  uint64_t gauges[GAUGES];
  uint64_t quiet_since_ns;        /* no reply since then, while any is awaited */
  uint64_t sent_ns;               /* open loop: the last request was sent then; 0: none */
  uint64_t new_from_ns;           /* connections opened from then on count as GAUGE_OPENED_LAST_SECOND */
  uint64_t random;                /* keys of exemplars */
  uint64_t t0_ns;                 /* the run's zero */
  const struct time_span *loaded; /* when requests may begin, or last might; NULL: at any time */
  struct transfer_log *log;       /* NULL: none */
  struct intervals *intervals;
  struct phase_plan plan;
  uint64_t start_ns, every_ns;
  uint64_t drain_began_ns;    /* NS_NEVER until PHASE_DRAIN */
  uint64_t quoted;            /* bit kind * QUOTE_STATES + state: the leg has such a quote */
  struct interval *undrained; /* the interval that ended where the drain began, until it is published */
};

struct recorder_settings {
  struct phase_plan plan;
  uint32_t requests; /* of a list, each with figures of its own; 0: there is none */
  uint64_t interval_ns, t0_ns, seed;
  const struct time_span *loaded; /* when requests may begin, or last might; NULL: at any time */
  struct transfer_log *log;       /* NULL: none; stays the caller's */
};

/* Returns 0 or -ENOMEM. RECORDER is zeroed memory; on failure recorder_destroy() is still due. */
int recorder_create(struct recorder *recorder, const struct recorder_settings *settings);
void recorder_destroy(struct recorder *recorder);

/* The leg starts at START_NS; the first interval begins at NOW_NS, no earlier than that. */
void recorder_begin(struct recorder *recorder, uint64_t start_ns, uint64_t now_ns);

/* Replaces the plan while the leg runs. A phase that ends earlier than planned ends at NOW_NS at the earliest. */
void recorder_replan(struct recorder *recorder, const struct phase_plan *plan, uint64_t now_ns);

/* Ends the last interval at NOW_NS; nothing may be recorded after it. */
void recorder_end(struct recorder *recorder, uint64_t now_ns);

/* Whether a boundary was crossed since the last call. */
static inline bool recorder_take_crossed(struct recorder *recorder) {
  bool crossed = recorder->crossed;
  recorder->crossed = false;
  return crossed;
}

/* The oldest interval that has ended and is not published; NULL: none. */
struct interval *recorder_ended(const struct recorder *recorder);

/* Whether the drain has begun, and the interval before it is not published yet: the loop has not begun to end slots. */
static inline bool recorder_drain_is_new(const struct recorder *recorder) { return recorder->undrained != NULL; }

/* What the kernel's TCP says of an open connection at the end of INTERVAL; at most INTERVAL_TCP_SAMPLES of them. */
void recorder_tcp_info(struct interval *interval, const struct tcp_info *info);

/* The first failure of TLS, reported with INTERVAL. */
void recorder_tls_failure(struct interval *interval, const struct tls_failure *failure);

/* Datagrams that were not the next one of a reply, reported with INTERVAL. */
void recorder_strays(struct interval *interval, uint64_t strays);

/* Hands the oldest interval that has ended to the reader. */
void recorder_publish(struct recorder *recorder);

/* Ends every interval whose boundary is at or before NOW_NS. */
void recorder_cross(struct recorder *recorder, uint64_t now_ns);
static inline void recorder_advance(struct recorder *recorder, uint64_t now_ns) {
  if (now_ns >= recorder->boundary_ns) recorder_cross(recorder, now_ns);
}

static inline void recorder_count(struct recorder *recorder, unsigned counter, uint64_t by) {
  recorder->interval->counters[counter] += by;
}

/* A time of what is named, or a number. */
static inline void recorder_time(struct recorder *recorder, enum histogram_name name, uint64_t ns) {
  histogram_record(&recorder->interval->histograms[name], ns);
}

static inline void recorder_raise(struct recorder *recorder, enum gauge gauge) { recorder->gauges[gauge]++; }

/* A gauge that a defect would take below zero stays at zero, and the figures of the leg count as inconsistent. */
static inline void recorder_lower(struct recorder *recorder, enum gauge gauge) {
  if (recorder->gauges[gauge] > 0) {
    recorder->gauges[gauge]--;
  } else {
    recorder_count(recorder, COUNT_GAUGES_BELOW_ZERO, 1);
  }
}

/* ------------------------------------------------------------------------------------------------ slots */

static inline void recorder_slot_activated(struct recorder *recorder) { recorder_raise(recorder, GAUGE_REQUESTED); }
static inline void recorder_slot_deactivated(struct recorder *recorder) { recorder_lower(recorder, GAUGE_REQUESTED); }

/* A slot begins, or ceases, to wait for the connect limiter. */
static inline void recorder_slot_queued(struct recorder *recorder) { recorder_raise(recorder, GAUGE_QUEUED); }
static inline void recorder_slot_unqueued(struct recorder *recorder) { recorder_lower(recorder, GAUGE_QUEUED); }

/* A slot begins, or ceases, to wait before it tries again. LOST: its connection was lost; else it had none. */
static inline void recorder_backoff_begun(struct recorder *recorder, bool lost) {
  recorder_raise(recorder, GAUGE_BACKING_OFF);
  if (lost) recorder_raise(recorder, GAUGE_LOST_BACKING_OFF);
}
static inline void recorder_backoff_ended(struct recorder *recorder, bool lost) {
  recorder_lower(recorder, GAUGE_BACKING_OFF);
  if (lost) recorder_lower(recorder, GAUGE_LOST_BACKING_OFF);
}

/* Of the last interval: how many transfers a slot, of the engine's SLOTS, completed in the steady state. Tenths of the
 * slots are equally large: up to 9 slots are in none. */
void recorder_slot_total(struct recorder *recorder, uint32_t slot, uint32_t slots, uint32_t steady_transfers);

/* ------------------------------------------------------------------------------------------------ attempts */

/* Each attempt ends in exactly one of rejected, abandoned, opened. RENEWS: the slot's last connection was answered and
 * closed as planned; the same at both ends of an attempt. */
static inline void recorder_attempt_started(struct recorder *recorder, bool renews) {
  recorder_count(recorder, COUNT_ATTEMPTS, 1);
  recorder_raise(recorder, GAUGE_CONNECTING);
  if (renews) recorder_raise(recorder, GAUGE_RENEWING);
}

static inline void recorder_attempt_ended(struct recorder *recorder, bool renews) {
  recorder_lower(recorder, GAUGE_CONNECTING);
  if (renews) recorder_lower(recorder, GAUGE_RENEWING);
}

static inline void recorder_attempt_rejected(struct recorder *recorder, enum reject_cause cause, bool renews) {
  recorder_count(recorder, COUNT_REJECTS + cause, 1);
  recorder_attempt_ended(recorder, renews);
}

static inline void recorder_attempt_abandoned(struct recorder *recorder, bool renews) {
  recorder_count(recorder, COUNT_ABANDONED, 1);
  recorder_attempt_ended(recorder, renews);
}

/* ------------------------------------------------------------------------------------------------ connections */

/* REOPENED: the slot had a connection before; RENEWS: as when the attempt started. */
void recorder_connection_opened(struct recorder *recorder, bool reopened, bool renews);

/* An open connection has had its first reply, or one that had is no longer open. */
static inline void recorder_answered_begun(struct recorder *recorder) { recorder_raise(recorder, GAUGE_ANSWERED); }
static inline void recorder_answered_ended(struct recorder *recorder) { recorder_lower(recorder, GAUGE_ANSWERED); }

/* An open connection ended by an error; recorder_connection_closed() follows. */
static inline void recorder_connection_lost(struct recorder *recorder, enum error_cause cause) {
  recorder_count(recorder, COUNT_ERRORS + cause, 1);
  recorder_count(recorder, COUNT_LOST, 1);
}

/* A connection that opened at OPENED_NS has sent its first request; it has had its first reply, or is closed. */
static inline void recorder_unanswered_begun(struct recorder *recorder, uint64_t opened_ns) {
  recorder_raise(recorder, GAUGE_UNANSWERED);
  if (opened_ns >= recorder->new_from_ns) recorder_raise(recorder, GAUGE_OPENED_LAST_SECOND);
}

static inline void recorder_unanswered_ended(struct recorder *recorder, uint64_t opened_ns) {
  recorder_lower(recorder, GAUGE_UNANSWERED);
  if (opened_ns >= recorder->new_from_ns) recorder_lower(recorder, GAUGE_OPENED_LAST_SECOND);
}

/* A connection is no longer open. UNANSWERED: it has sent a request and has had no reply. */
static inline void recorder_connection_closed(struct recorder *recorder, bool unanswered, uint64_t opened_ns) {
  recorder_lower(recorder, GAUGE_OPEN);
  if (unanswered) recorder_unanswered_ended(recorder, opened_ns);
}

static inline void recorder_bytes_sent(struct recorder *recorder, uint64_t bytes) {
  recorder_count(recorder, COUNT_BYTES_SENT, bytes);
}

static inline void recorder_bytes_received(struct recorder *recorder, uint64_t bytes) {
  recorder_count(recorder, COUNT_BYTES_RECEIVED, bytes);
}

/* Of recorder_note_quiet(): what of the time is in the current slice, where it is the longest of the interval. */
void recorder_keep_quiet(struct recorder *recorder, uint64_t now_ns);

/* Whether the leg has a quote of KIND in STATE. */
static inline bool recorder_has_quote(const struct recorder *recorder, enum quote_kind kind, enum quote_state state) {
  return recorder->quoted >> ((unsigned)kind * QUOTE_STATES + (unsigned)state) & 1;
}

/* The first LENGTH bytes of what the peer sent led to KIND in STATE at AT_NS. */
void recorder_quote(struct recorder *recorder, enum quote_kind kind, enum quote_state state, uint64_t at_ns,
                    const uint8_t *bytes, uint8_t length);

/* ------------------------------------------------------------------------------------------------ requests */

/* Replies were awaited until NOW_NS, and none came since the last one: keeps the longest such time of the interval. In
 * slices only the time in which requests may begin counts: after it, the replies that are missing may be the slow ones.
 */
static inline void recorder_note_quiet(struct recorder *recorder, uint64_t now_ns) {
  const struct interval *interval = recorder->interval;
  if (now_ns < recorder->quiet_since_ns || recorder->quiet_since_ns < recorder->start_ns) return;
  if (now_ns - recorder->quiet_since_ns <= interval->quiet_to_ns - interval->quiet_from_ns) return;
  recorder_keep_quiet(recorder, now_ns);
}

/* At NOW_NS or a little later. Each request that started ends in exactly one of succeeded, failed. */
static inline void recorder_request_started(struct recorder *recorder, uint64_t now_ns) {
  if (recorder->gauges[GAUGE_IN_FLIGHT] == 0) recorder->quiet_since_ns = now_ns;
  recorder_raise(recorder, GAUGE_IN_FLIGHT);
}

/* A slot has sent its first request ever; it has had its first reply ever. */
static inline void recorder_never_answered_begun(struct recorder *recorder) {
  recorder_raise(recorder, GAUGE_NEVER_ANSWERED);
}
static inline void recorder_never_answered_ended(struct recorder *recorder) {
  recorder_lower(recorder, GAUGE_NEVER_ANSWERED);
}

/* Appends the transfer to the log, and keeps it as an exemplar, where it is MEASURED and qualifies. */
static inline void recorder_log(struct recorder *recorder, uint32_t connection, uint64_t from_ns, uint64_t response_ns,
                                uint8_t status, struct transfer_labels labels, bool measured) {
  struct exemplar exemplar = {
      .key = splitmix64_next(&recorder->random) >> 11,
      .start_ns = (int64_t)(from_ns - recorder->t0_ns),
      .response_ns = response_ns,
      .connection = connection,
      .status = status,
  };
  if (measured) exemplars_offer(&recorder->interval->exemplars, &exemplar);
  if (recorder->log &&
      transfer_log_append(recorder->log, exemplar.start_ns, (int64_t)response_ns, connection, status, labels)) {
    recorder_count(recorder, COUNT_LOG_ROWS, 1);
  }
}

/* CONNECTION: its id. The response time begins at FROM_NS and is RESPONSE_NS long. Replies with a code are counted by
 * it too. MEASURED: it belongs to the times of the leg; false where the request began outside of the measured part of a
 * slice. */
static inline void recorder_request_succeeded(struct recorder *recorder, uint32_t connection, uint64_t from_ns,
                                              uint64_t response_ns, uint8_t code, struct transfer_labels labels,
                                              bool measured) {
  recorder_lower(recorder, GAUGE_IN_FLIGHT);
  recorder_count(recorder, COUNT_TRANSFERS, 1);
  recorder_count(recorder, COUNT_CODES + code, 1);
  if (labels.code > 0) recorder->interval->status_codes[labels.code]++;
  if (measured) recorder_time(recorder, HISTOGRAM_RESPONSE_TIME, response_ns);
  recorder_note_quiet(recorder, from_ns + response_ns);
  recorder->quiet_since_ns = from_ns + response_ns;
  recorder_log(recorder, connection, from_ns, response_ns, TRANSFER_OK, labels, measured);
}

/* The parts of the transfer whose success is recorded next. OPEN_LOOP: it may have waited for a connection. MEASURED:
 * as of recorder_request_succeeded(); otherwise only the log has them. */
void recorder_split(struct recorder *recorder, const struct split *split, bool open_loop, bool measured);

/* The transfer whose success is recorded next was chosen to be split, and could not be. */
static inline void recorder_split_omitted(struct recorder *recorder, enum split_omission omission) {
  recorder_count(recorder, COUNT_OMITTED + omission, 1);
}

/* Request INDEX of the list succeeded; MEASURED: as of recorder_request_succeeded(). */
static inline void recorder_listed_succeeded(struct recorder *recorder, uint32_t index, uint64_t response_ns,
                                             uint8_t code, bool measured) {
  struct request_figures *figures = &recorder->interval->requests[index];
  if (measured) histogram_record(&figures->response, response_ns);
  figures->codes[code]++;
}

/* Request INDEX of the list failed, with STATUS. */
static inline void recorder_listed_failed(struct recorder *recorder, uint32_t index, uint8_t status) {
  struct request_figures *figures = &recorder->interval->requests[index];
  if (status == TRANSFER_UNFINISHED) {
    figures->unfinished++;
  } else {
    figures->failed++;
  }
}

/* STATUS: TRANSFER_UNFINISHED at the end of the leg; else why. */
void recorder_request_failed(struct recorder *recorder, uint32_t connection, uint64_t from_ns, uint64_t at_ns,
                             uint8_t status, struct transfer_labels labels);

/* ------------------------------------------------------------------------------------------------ open loop */

/* A request became due; it was taken by a connection, LATE: it had to wait for one. */
static inline void recorder_request_due(struct recorder *recorder) {
  recorder_count(recorder, COUNT_DUE, 1);
  recorder_raise(recorder, GAUGE_WAITING);
}

static inline void recorder_request_taken(struct recorder *recorder, bool late) {
  recorder_lower(recorder, GAUGE_WAITING);
  if (late) recorder_count(recorder, COUNT_LATE, 1);
}

/* A request was sent at AT_NS. One whose send was blocked is reported after others that were sent later: it is no gap.
 */
static inline void recorder_request_sent(struct recorder *recorder, uint64_t at_ns) {
  if (at_ns < recorder->sent_ns) return;
  if (recorder->sent_ns > 0) recorder_time(recorder, HISTOGRAM_SEND_GAP, at_ns - recorder->sent_ns);
  recorder->sent_ns = at_ns;
}

/* The drain has begun: until then DUE more requests became due, and UNSENT of all were never sent. They belong to the
 * interval that ended there. */
void recorder_requests_unsent(struct recorder *recorder, uint64_t due, uint64_t unsent);

#endif
