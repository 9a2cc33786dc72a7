/*
 * test_engine.c: whole legs on the fake transport and clock: times exact to the histogram's bucket, the way of a leg
 * from ramp to drain, and books that balance.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/base/splitmix64.h"
#include "check.h"
#include "http_texts.h"
#include "leg.h"

/* ---- worlds ---- */

struct record {
  struct histogram expected, steady;
  uint64_t random, seen;
};

static struct fate random_latency(struct fake_world *world, uint32_t slot) {
  (void)slot;
  struct record *record = world->context;
  uint64_t after_ns = 1 + splitmix64_below(&record->random, 2 * SECOND) / (1 + splitmix64_below(&record->random, 50));
  uint64_t end_ns = world->now_ns + after_ns - LEG_START_NS;
  histogram_record(&record->expected, after_ns);
  if (end_ns >= 2 * SECOND && end_ns < 10 * SECOND) histogram_record(&record->steady, after_ns);
  return (struct fate){FATE_OK, after_ns, 0};
}

/* Refused until 5 s, then open. */
static struct fate refused_at_first(struct fake_world *world, uint32_t slot) {
  (void)slot;
  if (world->now_ns < LEG_START_NS + 5 * SECOND) return (struct fate){FATE_CLOSE, 0, -ECONNREFUSED};
  return (struct fate){FATE_OK, 1 * MS, 0};
}

/* Each transfer in context's stretch of time is reset; others take 1 ms. */
static struct fate reset_once(struct fake_world *world, uint32_t slot) {
  (void)slot;
  struct record *record = world->context;
  if (world->now_ns >= LEG_START_NS + 4 * SECOND && record->seen < 10) {
    record->seen++;
    return (struct fate){FATE_CLOSE, 0, -ECONNRESET};
  }
  return (struct fate){FATE_OK, 1 * MS, 0};
}

static bool same_counts(const struct histogram *a, const struct histogram *b) {
  return a->count == b->count && a->min == b->min && a->max == b->max &&
         memcmp(a->counts, b->counts, sizeof a->counts) == 0;
}

/* ---- tests ---- */

static void times_are_exact(uint32_t slots) {
  struct leg *leg = leg_new(slots);
  struct record *record = calloc(1, sizeof *record);
  histogram_clear(&record->expected);
  histogram_clear(&record->steady);
  leg->world.request = random_latency;
  leg->world.context = record;
  leg_run(leg);
  CHECK(record->expected.count > slots);
  CHECK(same_counts(&leg->histograms[HISTOGRAM_RESPONSE_TIME], &record->expected));
  CHECK(same_counts(&leg->steady, &record->steady));
  CHECK_EQUAL(leg->histograms[HISTOGRAM_PER_CONNECTION].count, slots);
  CHECK_EQUAL((int64_t)leg->histograms[HISTOGRAM_PER_CONNECTION].sum, record->steady.count);
  uint64_t in_tenths = 0;
  for (unsigned i = 0; i < TENTHS; i++) in_tenths += leg->tenths[i];
  CHECK_EQUAL(in_tenths, slots % TENTHS == 0 ? record->steady.count : 0);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_SENT], 64 * record->expected.count);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_RECEIVED], 64 * record->expected.count);
  free(record);
  leg_end(leg);
}

TEST(times_of_one_connection) { times_are_exact(1); }
TEST(times_of_many) { times_are_exact(2000); }

TEST(cuts_follow_seconds_and_phases) {
  struct leg *leg = leg_new(10);
  leg->settings.steady_from_ns = 2500 * MS;
  leg_run(leg);
  static const uint64_t bounds[] = {1000, 2000, 2500, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000};
  for (uint32_t i = 0; i < 11; i++) {
    CHECK_EQUAL(leg->interval[i].to_ns, bounds[i] * MS);
    CHECK_EQUAL(leg->interval[i].phase, bounds[i] <= 2500 ? PHASE_RAMP : PHASE_STEADY);
  }
  CHECK_EQUAL(leg->intervals, 12);
  CHECK_EQUAL(leg->interval[11].phase, PHASE_DRAIN);
  CHECK_EQUAL(leg->interval[10].open, 10);
  /* 1 ms a transfer, from 1 ms (connect) on: those answered in [0, 1 s) of 10 connections */
  CHECK_EQUAL(leg->interval[0].transfers, 10 * 998);
  CHECK_EQUAL(leg->interval[3].transfers, 10 * 500);
  CHECK_EQUAL(leg->interval[4].transfers, 10 * 1000);
  leg_end(leg);
}

TEST(rejected_slots_open_when_the_server_is_back) {
  struct leg *leg = leg_new(100);
  leg->world.attempt = refused_at_first;
  leg->settings.backoff.cap_ns = 1 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_OPENED], 100);
  CHECK_EQUAL(leg->counters[COUNT_REOPENED], 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECOVERY_TIME].count, 0); /* they were never lost */
  CHECK(leg->peaks[GAUGE_BACKING_OFF] >= 90);
  leg_end(leg);
}

TEST(lost_connections_recover) {
  struct leg *leg = leg_new(50);
  struct record *record = calloc(1, sizeof *record);
  leg->world.request = reset_once;
  leg->world.context = record;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_RESET], 10);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 10);
  CHECK_EQUAL(leg->counters[COUNT_REOPENED], 10);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECOVERY_TIME].count, 10);
  CHECK(leg->histograms[HISTOGRAM_RECOVERY_TIME].min > 50 * MS &&
        leg->histograms[HISTOGRAM_RECOVERY_TIME].max <= 101 * MS);   /* one wait of the base, and 1 ms to connect */
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS); /* waits are no part of a response time */
  free(record);
  leg_end(leg);
}

TEST(pauses_between_transfers) {
  struct leg *leg = leg_new(10);
  leg->settings.workload_settings.pause_ns = 99 * MS;
  leg_run(leg);
  CHECK_EQUAL(leg->interval[3].transfers, 100);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  leg_end(leg);
}

TEST(once_ends_early) {
  struct leg *leg = leg_new(100);
  leg->settings.workload = &workload_once;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 100);
  CHECK_EQUAL(leg->world.fins, 100);
  CHECK_EQUAL(leg->interval[leg->intervals - 1].to_ns, 2 * MS);
  CHECK_EQUAL(leg->interval[leg->intervals - 1].phase, PHASE_RAMP);
  leg_end(leg);
}

TEST(hold_with_heartbeat) {
  struct leg *leg = leg_new(10);
  leg->settings.workload = &workload_hold;
  leg->settings.workload_settings.heartbeat_ns = 3 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10 * 4); /* at 0.001, 3.001, 6.001, 9.001 s */
  CHECK_EQUAL(leg->peaks[GAUGE_OPEN], 10);
  leg_end(leg);
}

/* 100 a second on a line, half of them never answered: those of the last second are fresh, the older ones are not. */
TEST(fresh_ones_are_told_from_those_left_unanswered) {
  struct leg *leg = leg_new(300);
  leg->points[0] = (struct schedule_point){3 * SECOND, 300, true};
  leg->settings.steady_from_ns = 3 * SECOND;
  leg->settings.steady_to_ns = 6 * SECOND;
  leg->settings.transfer_timeout_ns = 60 * SECOND;
  leg->world.request = fate_odd_only;
  leg_run(leg);
  for (uint32_t i = 0; i < 3; i++) {
    CHECK(leg->interval[i].unanswered >= 50 * (i + 1) - 2 && leg->interval[i].unanswered <= 50 * (i + 1) + 2);
    CHECK(leg->interval[i].opened_last_second >= 47 && leg->interval[i].opened_last_second <= 52);
  }
  CHECK_EQUAL(leg->interval[5].unanswered, 150);
  CHECK_EQUAL(leg->interval[5].opened_last_second, 0);
  leg_end(leg);
}

TEST(open_connections_are_inspected) {
  struct leg *leg = leg_new(40);
  leg_run(leg);
  CHECK_EQUAL(leg->interval[0].rtts, 40);
  CHECK_EQUAL(leg->interval[0].rtt_ns, (FAKE_RTT_US + 39) * 1000);
  CHECK_EQUAL(leg->interval[leg->intervals - 1].rtts, 0); /* none is open at the end */
  CHECK_EQUAL(leg->counters[COUNT_TCP_SAMPLED], 40 * 10);
  CHECK_EQUAL(leg->counters[COUNT_TCP_RETRANSMITTED], 10 * 10);
  CHECK_EQUAL(leg->counters[COUNT_TCP_RETRANSMITS], 2 * 10 * 10);
  leg_end(leg);
}

TEST(of_many_connections_some_are_inspected) {
  struct leg *leg = leg_new(5000);
  leg->settings.workload_settings.pause_ns = 100 * MS; /* the number of transfers is no matter here */
  leg_run(leg);
  for (uint32_t i = 0; i < 10; i++) CHECK_EQUAL(leg->interval[i].rtts, INTERVAL_TCP_SAMPLES);
  leg_end(leg);
}

TEST(drain_cuts_short_what_is_late) {
  for (uint32_t depth = 1; depth <= 6; depth += 5) {
    struct leg *leg = leg_new(8);
    leg->settings.pipeline = depth;
    leg->world.request_bytes = 64;
    leg->world.request = fate_odd_only;
    leg->settings.transfer_timeout_ns = 60 * SECOND;
    leg_run(leg);
    CHECK_EQUAL(leg->counters[COUNT_UNFINISHED], 4 * depth);
    CHECK_EQUAL(leg->counters[COUNT_FAILED], 0);
    CHECK_EQUAL(leg->world.resets, 4);
    CHECK_EQUAL(leg->world.fins, 4);
    CHECK_EQUAL(leg->interval[leg->intervals - 1].to_ns, 13 * SECOND);
    leg_end(leg);
  }
}

TEST(a_late_replacement_follows_the_schedule) {
  struct leg *leg = leg_new(100);
  leg->world.now_ns = LEG_START_NS + 3400 * MS;
  leg->points[0] = (struct schedule_point){0, 50, false};
  leg->points[1] = (struct schedule_point){1 * SECOND, 100, false};
  leg->settings.schedule.count = 2;
  leg_run(leg);
  CHECK_EQUAL(leg->interval[0].from_ns, 3400 * MS);
  CHECK_EQUAL(leg->interval[0].to_ns, 4 * SECOND);
  CHECK_EQUAL(leg->interval[0].phase, PHASE_STEADY);
  CHECK_EQUAL(leg->interval[0].open, 100);
  leg_end(leg);
}

TEST(settings_that_cannot_be) {
  struct leg *leg = leg_new(10);
  leg->points[0] = (struct schedule_point){5, 10, false};
  leg->points[1] = (struct schedule_point){4, 10, false};
  leg->settings.schedule.count = 2;
  leg_refused(leg);
  leg = leg_new(0);
  leg_refused(leg);
}

/* A drain requested in mid-leg from inside the world: at 4.2 s for 4.5 s. */
static struct fate drains_early(struct fake_world *world, uint32_t slot) {
  (void)slot;
  struct leg *leg = world->context;
  if (world->now_ns >= LEG_START_NS + 4200 * MS) engine_drain(leg->engine, 4500 * MS + MS / 2);
  return (struct fate){FATE_OK, 1 * MS, 0};
}

TEST(an_early_drain) {
  struct leg *leg = leg_new(10);
  leg->world.context = leg;
  leg->world.request = drains_early;
  leg_run(leg);
  CHECK_EQUAL(leg->interval[leg->intervals - 2].to_ns, 4500 * MS + MS / 2);
  CHECK_EQUAL(leg->interval[leg->intervals - 2].phase, PHASE_STEADY);
  CHECK_EQUAL(leg->interval[leg->intervals - 1].to_ns, 4501 * MS);
  leg_end(leg);
}

/* The last reply comes just when the drain begins, and the server closes with it. */
static bool replies_and_ends(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  const struct leg *leg = world->context;
  uint64_t left_ns = LEG_START_NS + leg->settings.steady_to_ns - world->now_ns;
  if (left_ns > 200 * MS) return false;
  fake_say(world, slot, left_ns, bytes, length);
  fake_end(world, slot, left_ns, IO_EOF);
  world->requests++;
  return true;
}

TEST(a_server_that_closes_as_the_drain_begins) {
  struct leg *leg = leg_new(10);
  leg->world.context = leg;
  leg->world.takes = replies_and_ends;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->counters[COUNT_UNFINISHED], 0);
  leg_end(leg);
}

static struct fate stops(struct fake_world *world, uint32_t slot) {
  (void)slot;
  struct leg *leg = world->context;
  if (world->now_ns >= LEG_START_NS + 1200 * MS) engine_stop(leg->engine);
  return (struct fate){FATE_OK, 500 * MS, 0};
}

TEST(a_stop_in_the_ramp) {
  struct leg *leg = leg_new(10);
  leg->world.context = leg;
  leg->world.request = stops;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_UNFINISHED], 10);
  CHECK(leg->interval[leg->intervals - 1].to_ns < 1600 * MS);
  leg_end(leg);
}

/* The reader stalls from 1.5 s to 14 s, over the end of the ramp and that of the warm-up. */
static struct fate stalls_for_long(struct fake_world *world, uint32_t slot) {
  (void)slot;
  struct leg *leg = world->context;
  uint64_t at_ns = world->now_ns - LEG_START_NS;
  bool stalled = leg->stalls;
  leg->stalls = at_ns >= 1500 * MS && at_ns < 14 * SECOND;
  if (stalled && !leg->stalls) leg_read(leg);
  return (struct fate){FATE_OK, 1 * MS, 0};
}

static uint64_t transfers_of(const struct leg *leg, enum phase phase) {
  uint64_t transfers = 0;
  for (uint32_t i = 0; i < leg->intervals; i++) {
    if (leg->interval[i].phase == phase) transfers += leg->interval[i].transfers;
  }
  return transfers;
}

TEST(a_stalled_reader_mixes_no_phases) {
  struct leg *leg = leg_new(20);
  leg->world.context = leg;
  leg->world.request = stalls_for_long;
  leg->settings.steady_from_ns = 4 * SECOND;
  leg->settings.warmup_ns = 2 * SECOND;
  leg->settings.steady_to_ns = 20 * SECOND;
  leg_run(leg);
  uint32_t merged = 0, rtts = 0;
  for (uint32_t i = 0; i < leg->intervals; i++) {
    uint64_t from_ns = leg->interval[i].from_ns, to_ns = leg->interval[i].to_ns;
    merged += leg->interval[i].merged;
    rtts += (uint32_t)leg->interval[i].rtts;
    CHECK_EQUAL(leg->interval[i].merged, to_ns - from_ns > SECOND);
    CHECK(leg->interval[i].rtts <= 20); /* each connection is sampled once */
    if (leg->interval[i].phase == PHASE_RAMP) CHECK(to_ns <= 2 * SECOND);
    if (leg->interval[i].phase == PHASE_WARMUP) CHECK(from_ns >= 2 * SECOND && to_ns <= 4 * SECOND);
    if (leg->interval[i].phase == PHASE_STEADY) CHECK(from_ns >= 4 * SECOND && to_ns <= 20 * SECOND);
  }
  CHECK(merged > 0);
  CHECK_EQUAL(leg->counters[COUNT_TCP_SAMPLED], rtts);
  CHECK(transfers_of(leg, PHASE_STEADY) >= 20 * 15990);
  CHECK_EQUAL(transfers_of(leg, PHASE_STEADY), leg->histograms[HISTOGRAM_PER_CONNECTION].sum);
  CHECK(transfers_of(leg, PHASE_WARMUP) >= 20 * 1990);
  leg_end(leg);
}

/* Nothing is read before the end: of each phase to come an interval was kept. */
static struct fate stalls_for_good(struct fake_world *world, uint32_t slot) {
  (void)slot;
  ((struct leg *)world->context)->stalls = true;
  return (struct fate){FATE_OK, 1 * MS, 0};
}

TEST(a_reader_that_stalls_for_good_mixes_no_phases) {
  struct leg *leg = leg_new(5);
  leg->world.context = leg;
  leg->world.request = stalls_for_good;
  leg->settings.steady_from_ns = 30 * SECOND;
  leg->settings.warmup_ns = 15 * SECOND;
  leg->settings.steady_to_ns = 50 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->intervals, INTERVALS);
  CHECK_EQUAL(leg->interval[leg->intervals - 2].to_ns, 50 * SECOND);
  CHECK_EQUAL(leg->interval[leg->intervals - 1].phase, PHASE_DRAIN);
  CHECK_EQUAL(transfers_of(leg, PHASE_STEADY), leg->histograms[HISTOGRAM_PER_CONNECTION].sum);
  CHECK(transfers_of(leg, PHASE_RAMP) >= 5 * 14990 && transfers_of(leg, PHASE_WARMUP) >= 5 * 14990);
  leg_end(leg);
}

/* The replies that end the last steady second come at its boundary, in the batch that crosses it: no connection may be
 * closed before that second's sample is taken. */
TEST(the_last_steady_second_is_sampled) {
  for (unsigned depth = 1; depth <= 4; depth += 3) {
    struct leg *leg = leg_new(20);
    leg->settings.pipeline = depth;
    leg->world.request_bytes = 64;
    leg_run(leg);
    CHECK_EQUAL(leg->interval[9].phase, PHASE_STEADY);
    CHECK_EQUAL(leg->interval[9].to_ns, 10 * SECOND);
    CHECK_EQUAL(leg->interval[9].rtts, 20);
    CHECK_EQUAL(leg->world.fins, 20);
    CHECK_EQUAL(leg->counters[COUNT_UNFINISHED] + leg->counters[COUNT_LOST], 0);
    leg_end(leg);
  }
}

/* A slot keeps the bytes of its request in 32 bits. */
TEST(requests_below_4_GiB) {
  struct leg *leg = leg_new(1);
  leg->settings.payload_bytes = UINT32_MAX - 16; /* validation reads only the number */
  leg->settings.protocol_bytes_count = 16;
  CHECK_EQUAL(engine_settings_validate(&leg->settings), 0);
  leg->settings.protocol_bytes_count = 17;
  CHECK_EQUAL(engine_settings_validate(&leg->settings), -EINVAL);
  free(leg);
  /* a text that is 4,096 times in a request, which is written because of the number behind it */
  enum { TEXT = 1 << 20, PIECES = 4097 };
  const size_t length = sizeof(struct http_request) + PIECES * sizeof(struct http_piece) + TEXT;
  uint8_t *bytes = calloc(1, length);
  const struct http_request request = {.weights = 1, .pieces_at = sizeof request, .pieces = PIECES};
  struct http_piece piece = {.type = PIECE_TEXT, .at = length - TEXT, .bytes = TEXT};
  memcpy(bytes, &request, sizeof request);
  for (size_t i = 0; i < PIECES; i++) {
    if (i + 1 == PIECES) piece = (struct http_piece){.type = PIECE_SEQUENCE};
    memcpy(bytes + request.pieces_at + i * sizeof piece, &piece, sizeof piece);
  }
  leg = leg_new(1);
  leg->settings.protocol = &protocol_http;
  leg->settings.protocol_bytes = bytes;
  leg->settings.protocol_bytes_count = length;
  leg->settings.transport_context = &leg->world;
  CHECK(protocol_set_parameter(&protocol_http, &leg->settings.protocol_parameters, "requests", 1));
  struct engine *engine = NULL;
  CHECK_EQUAL(engine_create(&leg->settings, &engine), -EINVAL);
  if (engine) engine_destroy(engine);
  free(leg);
  free(bytes);
}
