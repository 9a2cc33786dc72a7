/*
 * leg.c: the engine on the fake transport and clock. Its intervals are read in the same thread, inside on_interval.
 */
#include "leg.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"

static const uint8_t payload[64] = "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXY";

static void add(struct histogram *to, const struct histogram *from) {
  if (from->count == 0) return;
  for (uint32_t i = from->first; i <= from->last; i++) to->counts[i] += from->counts[i];
  to->count += from->count;
  to->sum += from->sum;
  if (from->min < to->min) to->min = from->min;
  if (from->max > to->max) to->max = from->max;
  if (from->first < to->first) to->first = from->first;
  if (from->last > to->last) to->last = from->last;
}

static struct leg_interval kept(const struct leg *leg, const struct interval *interval) {
  return (struct leg_interval){
      .phase = interval->phase,
      .last = interval->last,
      .merged = interval->merged,
      .from_ns = interval->from_ns,
      .to_ns = interval->to_ns,
      .transfers = interval->counters[COUNT_TRANSFERS],
      .open = interval->gauges[GAUGE_OPEN],
      .requested = interval->gauges[GAUGE_REQUESTED],
      .in_flight = interval->gauges[GAUGE_IN_FLIGHT],
      .queued = interval->gauges[GAUGE_QUEUED],
      .unanswered = interval->gauges[GAUGE_UNANSWERED],
      .opened_last_second = interval->gauges[GAUGE_OPENED_LAST_SECOND],
      .attempts = interval->counters[COUNT_ATTEMPTS],
      .rtts = interval->rtts,
      .rtt_ns = interval->rtts ? interval->rtt_ns[interval->rtts - 1] : 0,
      .turns = leg->world.turns,
  };
}

void leg_read(struct leg *leg) {
  for (const struct interval *interval; (interval = interval_take(engine_intervals(leg->engine)));) {
    for (unsigned i = 0; i < COUNTERS; i++) leg->counters[i] += interval->counters[i];
    for (unsigned i = 0; i < GAUGES; i++) {
      leg->ends[i] = interval->gauges[i];
      if (interval->gauges[i] > leg->peaks[i]) leg->peaks[i] = interval->gauges[i];
    }
    for (unsigned i = 0; i < TENTHS; i++) leg->tenths[i] += interval->tenths[i];
    for (unsigned i = 0; i < HISTOGRAMS; i++) add(&leg->histograms[i], &interval->histograms[i]);
    for (uint32_t i = 0; i < interval->quote_count; i++) leg->quotes[leg->quote_count++] = interval->quotes[i];
    leg->listed = interval->request_count;
    for (uint32_t i = 0; i < interval->request_count; i++) {
      const struct request_figures *figures = &interval->requests[i];
      leg->listed_transfers += figures->response.count;
      leg->listed_failed += figures->failed;
      leg->listed_unfinished += figures->unfinished;
      for (unsigned k = 0; k < CODES; k++) leg->listed_codes += figures->codes[k];
    }
    if (interval->phase == PHASE_STEADY) add(&leg->steady, &interval->histograms[HISTOGRAM_RESPONSE_TIME]);
    if (leg->intervals < LEG_INTERVALS) leg->interval[leg->intervals++] = kept(leg, interval);
    interval_release(engine_intervals(leg->engine));
  }
}

static void on_interval(void *context) {
  struct leg *leg = context;
  if (!leg->stalls) leg_read(leg);
}

struct leg *leg_new(uint32_t slots) {
  static const struct endpoint nowhere;
  struct leg *leg = calloc(1, sizeof *leg);
  for (unsigned i = 0; i < HISTOGRAMS; i++) histogram_clear(&leg->histograms[i]);
  histogram_clear(&leg->steady);
  const struct fate in_a_millisecond = {FATE_OK, 1 * MS, 0};
  leg->world = (struct fake_world){.now_ns = LEG_START_NS,
                                   .end_ns = LEG_START_NS + 600 * NS_PER_SECOND,
                                   .attempt_fate = in_a_millisecond,
                                   .request_fate = in_a_millisecond};
  leg->points[0] = (struct schedule_point){0, slots, false};
  leg->settings = (struct engine_settings){
      .first = 0,
      .stride = 1,
      .slots = slots,
      .endpoints = &nowhere,
      .endpoint_count = 1,
      .transport = &transport_fake,
      .clock = {fake_now_ns, &leg->world},
      .protocol = &protocol_echo,
      .payload = payload,
      .payload_bytes = sizeof payload,
      .workload = &workload_continuous,
      .schedule = {leg->points, 1},
      .steady_from_ns = 2 * NS_PER_SECOND,
      .steady_to_ns = 10 * NS_PER_SECOND,
      .connect_timeout_ns = 10 * NS_PER_SECOND,
      .transfer_timeout_ns = 5 * NS_PER_SECOND,
      .drain_timeout_ns = 3 * NS_PER_SECOND,
      .interval_ns = NS_PER_SECOND,
      .backoff = {100 * MS, 10 * NS_PER_SECOND, 2.0},
      .seed = 42,
      .pipeline = 1,
      .t0_ns = LEG_START_NS,
      .on_interval = on_interval,
  };
  return leg;
}

void leg_open_loop(struct leg *leg, size_t count) {
  leg->settings.rates = (struct rates){leg->rates, count};
  leg->settings.rate_from_ns = leg->settings.steady_from_ns;
  leg->world.request_bytes = leg->settings.payload_bytes;
}

void leg_at_rate(struct leg *leg, double rate) {
  leg->rates[0] = (struct rate_point){0, rate, false};
  leg_open_loop(leg, 1);
}

void leg_run(struct leg *leg) {
  leg->settings.transport_context = &leg->world;
  if (!leg->settings.on_interval_context) leg->settings.on_interval_context = leg;
  leg->error = engine_create(&leg->settings, &leg->engine);
  if (leg->error) return;
  leg->error = engine_run(leg->engine, LEG_START_NS);
  leg_read(leg);
  engine_destroy(leg->engine);
}

uint64_t leg_rejects(const struct leg *leg) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < REJECT_CAUSES; i++) sum += leg->counters[COUNT_REJECTS + i];
  return sum;
}

uint64_t leg_errors(const struct leg *leg) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < ERROR_CAUSES; i++) sum += leg->counters[COUNT_ERRORS + i];
  return sum;
}

uint64_t leg_omitted(const struct leg *leg) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < SPLIT_OMISSIONS; i++) sum += leg->counters[COUNT_OMITTED + i];
  return sum;
}

/* Whether slots come back that were not lost. */
static bool falls(const struct leg *leg) {
  for (size_t i = 1; i < leg->settings.schedule.count; i++) {
    if (leg->points[i].slots < leg->points[i - 1].slots) return true;
  }
  return false;
}

/* The books that must balance, whatever happened. */
static void check_books(const struct leg *leg) {
  CHECK_EQUAL(leg->counters[COUNT_GAUGES_BELOW_ZERO], 0);
  CHECK_EQUAL(leg->error, 0);
  CHECK_EQUAL(leg->counters[COUNT_ATTEMPTS], leg->world.attempts);
  CHECK_EQUAL(leg->counters[COUNT_ATTEMPTS],
              leg->counters[COUNT_OPENED] + leg_rejects(leg) + leg->counters[COUNT_ABANDONED]);
  CHECK_EQUAL(leg->world.requests,
              leg->counters[COUNT_TRANSFERS] + leg->counters[COUNT_FAILED] + leg->counters[COUNT_UNFINISHED]);
  CHECK_EQUAL(leg->counters[COUNT_LOST], leg_errors(leg));
  CHECK_EQUAL(leg->listed_transfers, leg->listed > 0 ? leg->counters[COUNT_TRANSFERS] : 0);
  CHECK_EQUAL(leg->listed_codes, leg->listed_transfers);
  CHECK_EQUAL(leg->listed_failed, leg->listed > 0 ? leg->counters[COUNT_FAILED] : 0);
  CHECK_EQUAL(leg->listed_unfinished, leg->listed > 0 ? leg->counters[COUNT_UNFINISHED] : 0);
  CHECK(leg->histograms[HISTOGRAM_RESPONSE_TIME].count == leg->counters[COUNT_TRANSFERS] ||
        (leg->settings.slices.count > 0 &&
         leg->histograms[HISTOGRAM_RESPONSE_TIME].count < leg->counters[COUNT_TRANSFERS]));
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SERVICE_TIME].count,
              leg->settings.rates.count > 0 ? leg->histograms[HISTOGRAM_RESPONSE_TIME].count : 0);
  if (leg->settings.rates.count > 0) {
    CHECK_EQUAL(leg->counters[COUNT_DUE], leg->world.requests + leg->counters[COUNT_UNSENT]);
  } else {
    CHECK_EQUAL(leg->counters[COUNT_DUE] + leg->counters[COUNT_UNSENT], 0);
  }
  CHECK(leg->counters[COUNT_LATE] <= leg->counters[COUNT_DUE]);
  /* the parts of the transfers that were split add up to their response times */
  CHECK(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + leg_omitted(leg) <= leg->counters[COUNT_TRANSFERS]);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SEND_DELAY].count, leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_NETWORK_AND_SERVER].count, leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECEIVE_DELAY].count, leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_CONNECTION_WAIT].count,
              leg->settings.rates.count > 0 ? leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count : 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].sum,
              leg->histograms[HISTOGRAM_CONNECTION_WAIT].sum + leg->histograms[HISTOGRAM_SEND_DELAY].sum +
                  leg->histograms[HISTOGRAM_NETWORK_AND_SERVER].sum + leg->histograms[HISTOGRAM_RECEIVE_DELAY].sum);
  CHECK_EQUAL(leg->ends[GAUGE_WAITING], 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_CONNECT_TIME].count, leg->counters[COUNT_OPENED]);
  uint64_t planned = leg->settings.workload == &workload_reconnect || leg->settings.protocol != &protocol_echo ||
                             leg->settings.lifetime.transfers > 0 || leg->settings.lifetime.ns > 0
                         ? leg->counters[COUNT_TRANSFERS]
                         : 0;
  CHECK(leg->histograms[HISTOGRAM_RECOVERY_TIME].count <= leg->counters[COUNT_REOPENED]);
  if (!falls(leg))
    CHECK(leg->histograms[HISTOGRAM_RECOVERY_TIME].count + planned + leg->counters[COUNT_CLOSED_IN_PAUSE] >=
          leg->counters[COUNT_REOPENED]);
  CHECK(leg->intervals > 0 && leg->interval[leg->intervals - 1].last);
  CHECK_EQUAL(leg->ends[GAUGE_CONNECTING], 0);
  CHECK_EQUAL(leg->ends[GAUGE_OPEN], 0);
  CHECK_EQUAL(leg->ends[GAUGE_UNANSWERED], 0);
  CHECK_EQUAL(leg->ends[GAUGE_BACKING_OFF], 0);
  CHECK_EQUAL(leg->ends[GAUGE_QUEUED], 0);
  CHECK_EQUAL(leg->ends[GAUGE_OPENED_LAST_SECOND], 0);
  CHECK_EQUAL(leg->ends[GAUGE_IN_FLIGHT], 0);
  for (uint32_t i = 1; i < leg->intervals; i++) CHECK_EQUAL(leg->interval[i].from_ns, leg->interval[i - 1].to_ns);
}

void leg_end(struct leg *leg) {
  check_books(leg);
  free(leg);
}

void leg_refused(struct leg *leg) {
  leg_run(leg);
  CHECK_EQUAL(leg->error, -EINVAL);
  free(leg);
}

struct fate fate_odd_only(struct fake_world *world, uint32_t slot) {
  (void)world;
  return slot % 2 ? (struct fate){FATE_OK, 1 * MS, 0} : (struct fate){FATE_NOTHING, 0, 0};
}
