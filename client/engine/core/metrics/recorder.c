/*
 * recorder.c: interval boundaries, and what is recorded too rarely to be inline.
 */
#include "recorder.h"

#include <string.h>

#define SEED_OF_EXEMPLARS UINT64_C(0x6578656d706c6172)

int recorder_create(struct recorder *recorder, const struct recorder_settings *settings) {
  recorder->plan = settings->plan;
  recorder->every_ns = settings->interval_ns;
  recorder->t0_ns = settings->t0_ns;
  recorder->random = settings->seed ^ SEED_OF_EXEMPLARS;
  recorder->loaded = settings->loaded;
  recorder->log = settings->log;
  recorder->boundary_ns = recorder->drain_began_ns = NS_NEVER;
  int error = intervals_create(settings->requests, &recorder->intervals);
  if (error) return error;
  recorder->interval = intervals_filling(recorder->intervals);
  return 0;
}

void recorder_destroy(struct recorder *recorder) { intervals_destroy(recorder->intervals); }

/* The next whole second or change of phase after FROM_NS (relative). */
static uint64_t next_boundary_ns(const struct recorder *recorder, uint64_t from_ns) {
  uint64_t second_ns = (from_ns / recorder->every_ns + 1) * recorder->every_ns;
  return recorder->start_ns + earlier_ns(second_ns, phase_end_ns(&recorder->plan, recorder->phase));
}

static void begin_interval(struct recorder *recorder, uint64_t from_ns, enum phase phase) {
  if (phase == PHASE_DRAIN && recorder->drain_began_ns == NS_NEVER) {
    recorder->drain_began_ns = recorder->start_ns + from_ns;
  }
  recorder->phase = phase;
  recorder->interval->from_ns = from_ns;
  recorder->interval->phase = phase;
  recorder->gauges[GAUGE_OPENED_LAST_SECOND] = 0;
  recorder->gauges[GAUGE_PEAK_OPEN] = recorder->gauges[GAUGE_OPEN];
  recorder->new_from_ns = recorder->start_ns + from_ns;
  recorder->boundary_ns = next_boundary_ns(recorder, from_ns);
}

void recorder_keep_quiet(struct recorder *recorder, uint64_t now_ns) {
  struct interval *interval = recorder->interval;
  const struct time_span *loaded = recorder->loaded;
  uint64_t from_ns = recorder->quiet_since_ns, to_ns = now_ns;
  if (loaded) {
    if (from_ns < loaded->from_ns) from_ns = loaded->from_ns;
    to_ns = earlier_ns(to_ns, loaded->to_ns);
  }
  if (from_ns >= to_ns || to_ns - from_ns <= interval->quiet_to_ns - interval->quiet_from_ns) return;
  interval->quiet_from_ns = from_ns - recorder->start_ns;
  interval->quiet_to_ns = to_ns - recorder->start_ns;
}

static void end_interval(struct recorder *recorder, uint64_t to_ns) {
  recorder->interval->to_ns = to_ns;
  if (recorder->gauges[GAUGE_IN_FLIGHT] > 0) recorder_note_quiet(recorder, recorder->start_ns + to_ns);
  memcpy(recorder->interval->gauges, recorder->gauges, sizeof recorder->gauges);
  intervals_advance(recorder->intervals);
}

void recorder_begin(struct recorder *recorder, uint64_t start_ns, uint64_t now_ns) {
  uint64_t from_ns = now_ns > start_ns ? now_ns - start_ns : 0;
  recorder->start_ns = start_ns;
  begin_interval(recorder, from_ns, phase_at(&recorder->plan, from_ns));
}

/* The phase from AT_NS on. A phase never comes back, though a plan may be replaced. */
static enum phase phase_from(const struct recorder *recorder, uint64_t at_ns) {
  enum phase phase = phase_at(&recorder->plan, at_ns);
  return phase > recorder->phase ? phase : recorder->phase;
}

void recorder_cross(struct recorder *recorder, uint64_t now_ns) {
  while (now_ns >= recorder->boundary_ns) {
    uint64_t at_ns = recorder->boundary_ns - recorder->start_ns;
    enum phase phase = phase_from(recorder, at_ns);
    recorder->crossed = true;
    /* One empty interval is kept back for each phase to come. */
    if (phase == recorder->phase && intervals_empty(recorder->intervals) <= (uint32_t)(PHASE_DRAIN - phase)) {
      recorder->interval->merged = true;
      recorder->boundary_ns = next_boundary_ns(recorder, at_ns);
      continue;
    }
    if (phase == PHASE_DRAIN && recorder->phase != PHASE_DRAIN) recorder->undrained = recorder->interval;
    end_interval(recorder, at_ns);
    recorder->interval = intervals_filling(recorder->intervals);
    begin_interval(recorder, at_ns, phase);
  }
}

void recorder_replan(struct recorder *recorder, const struct phase_plan *plan, uint64_t now_ns) {
  recorder->plan = *plan;
  uint64_t end_ns = recorder->start_ns + phase_end_ns(plan, recorder->phase);
  if (end_ns < recorder->boundary_ns) recorder->boundary_ns = end_ns > now_ns ? end_ns : now_ns;
  recorder_advance(recorder, now_ns);
}

void recorder_end(struct recorder *recorder, uint64_t now_ns) {
  recorder_advance(recorder, now_ns);
  recorder->interval->last = true;
  recorder->crossed = true;
  end_interval(recorder, now_ns > recorder->start_ns ? now_ns - recorder->start_ns : 0);
}

struct interval *recorder_ended(const struct recorder *recorder) {
  return interval_ended(recorder->intervals);
}

void recorder_tcp_info(struct interval *interval, const struct tcp_info *info) {
  if (interval->rtts == INTERVAL_TCP_SAMPLES) return;
  interval->counters[COUNT_TCP_SAMPLED]++;
  interval->counters[COUNT_TCP_RETRANSMITTED] += info->tcpi_total_retrans > 0;
  interval->counters[COUNT_TCP_RETRANSMITS] += info->tcpi_total_retrans;
  interval->rtt_ns[interval->rtts++] = (uint64_t)info->tcpi_rtt * 1000;
}

void recorder_tls_failure(struct interval *interval, const struct tls_failure *failure) {
  interval->tls_failure = *failure;
}

void recorder_strays(struct interval *interval, uint64_t strays) { interval->counters[COUNT_STRAYS] += strays; }

void recorder_publish(struct recorder *recorder) {
  if (recorder_ended(recorder) == recorder->undrained) recorder->undrained = NULL;
  interval_publish(recorder->intervals);
}

void recorder_slot_total(struct recorder *recorder, uint32_t slot, uint32_t slots, uint32_t steady_transfers) {
  uint32_t each = slots / TENTHS;
  recorder_time(recorder, HISTOGRAM_PER_CONNECTION, steady_transfers);
  if (slot < each * TENTHS) recorder->interval->tenths[slot / each] += steady_transfers;
}

void recorder_connection_opened(struct recorder *recorder, bool reopened, bool renews) {
  recorder_count(recorder, COUNT_OPENED, 1);
  if (reopened) recorder_count(recorder, COUNT_REOPENED, 1);
  recorder_attempt_ended(recorder, renews);
  recorder_raise(recorder, GAUGE_OPEN);
  if (recorder->gauges[GAUGE_OPEN] > recorder->gauges[GAUGE_PEAK_OPEN]) {
    recorder->gauges[GAUGE_PEAK_OPEN] = recorder->gauges[GAUGE_OPEN];
  }
}

void recorder_quote(struct recorder *recorder, enum quote_kind kind, enum quote_state state, uint64_t at_ns,
                    const uint8_t *bytes, uint8_t length) {
  struct interval *interval = recorder->interval;
  if (recorder_has_quote(recorder, kind, state)) return;
  recorder->quoted |= UINT64_C(1) << ((unsigned)kind * QUOTE_STATES + (unsigned)state);
  struct quote *quote = &interval->quotes[interval->quote_count++];
  *quote = (struct quote){.at_ns = at_ns > recorder->start_ns ? at_ns - recorder->start_ns : 0,
                          .kind = (uint8_t)kind,
                          .state = (uint8_t)state,
                          .length = length};
  memcpy(quote->bytes, bytes, length);
}

void recorder_request_failed(struct recorder *recorder, uint32_t connection, uint64_t from_ns, uint64_t at_ns,
                             uint8_t status, struct transfer_labels labels) {
  if (recorder->gauges[GAUGE_IN_FLIGHT] > 0) recorder_note_quiet(recorder, at_ns);
  recorder_lower(recorder, GAUGE_IN_FLIGHT);
  recorder_count(recorder, status == TRANSFER_UNFINISHED ? COUNT_UNFINISHED : COUNT_FAILED, 1);
  recorder_log(recorder, connection, from_ns, at_ns > from_ns ? at_ns - from_ns : 0, status, labels, true);
}

void recorder_split(struct recorder *recorder, const struct split *split, bool open_loop, bool measured) {
  if (recorder->log) transfer_log_split(recorder->log, split);
  if (!measured) return;
  uint64_t response_ns =
      split->connection_wait_ns + split->send_delay_ns + split->network_and_server_ns + split->receive_delay_ns;
  recorder_time(recorder, HISTOGRAM_SPLIT_RESPONSE, response_ns);
  recorder_time(recorder, HISTOGRAM_SEND_DELAY, split->send_delay_ns);
  recorder_time(recorder, HISTOGRAM_NETWORK_AND_SERVER, split->network_and_server_ns);
  recorder_time(recorder, HISTOGRAM_RECEIVE_DELAY, split->receive_delay_ns);
  if (!open_loop) return;
  recorder_time(recorder, HISTOGRAM_CONNECTION_WAIT, split->connection_wait_ns);
  recorder_time(recorder, HISTOGRAM_WITHOUT_CLIENT, split->connection_wait_ns + split->network_and_server_ns);
}

void recorder_requests_unsent(struct recorder *recorder, uint64_t due, uint64_t unsent) {
  struct interval *interval = recorder->undrained ? recorder->undrained : recorder->interval;
  interval->counters[COUNT_DUE] += due;
  interval->counters[COUNT_UNSENT] += unsent;
  interval->gauges[GAUGE_WAITING] = 0;
  recorder->gauges[GAUGE_WAITING] = 0;
}
