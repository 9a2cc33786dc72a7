/*
 * test_pipeline.c: several transfers of a connection in flight at once, on the fake transport and clock: each is timed
 * separately and exactly to the histogram's bucket, however requests go out and replies come in, and each is counted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/base/splitmix64.h"
#include "check.h"
#include "leg.h"

#define REQUEST_BYTES 64u
#define MOST_SLOTS 2000u

/* What a server would be seen to do that answers the requests of a connection one after another. */
struct record {
  struct histogram expected;
  uint64_t random, seen;
  uint64_t answered_ns[MOST_SLOTS];
};

static struct fate random_latency(struct fake_world *world, uint32_t slot) {
  struct record *record = world->context;
  uint64_t after_ns = 1 + splitmix64_below(&record->random, 2 * SECOND) / (1 + splitmix64_below(&record->random, 50));
  uint64_t at_ns = world->now_ns + after_ns;
  if (at_ns < record->answered_ns[slot]) at_ns = record->answered_ns[slot];
  record->answered_ns[slot] = at_ns;
  histogram_record(&record->expected, at_ns - world->now_ns);
  return (struct fate){FATE_OK, after_ns, 0};
}

static struct leg *pipelined(uint32_t slots, uint32_t depth) {
  struct leg *leg = leg_new(slots);
  leg->settings.pipeline = depth;
  leg->world.request_bytes = REQUEST_BYTES;
  return leg;
}

static void run_exact(struct leg *leg) {
  struct record *record = calloc(1, sizeof *record);
  histogram_clear(&record->expected);
  leg->world.request = random_latency;
  leg->world.context = record;
  leg_run(leg);
  CHECK(record->expected.count > leg->settings.slots * leg->settings.pipeline);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].count, record->expected.count);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, record->expected.min);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, record->expected.max);
  CHECK(memcmp(leg->histograms[HISTOGRAM_RESPONSE_TIME].counts, record->expected.counts,
               sizeof leg->histograms[HISTOGRAM_RESPONSE_TIME].counts) == 0);
  CHECK_EQUAL(leg->peaks[GAUGE_IN_FLIGHT], leg->settings.slots * leg->settings.pipeline);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_SENT], REQUEST_BYTES * record->expected.count);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_RECEIVED], REQUEST_BYTES * record->expected.count);
  free(record);
}

/* Also replies to several requests in one call, cut anywhere. */
TEST(times_are_exact) {
  static const struct {
    uint32_t slots, depth;
    bool joins;
    size_t pieces;
  } worlds[] = {{1, 16, false, 0}, {MOST_SLOTS, 4, false, 0}, {20, 7, true, 0}, {20, 7, true, 5}};
  for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
    struct leg *leg = pipelined(worlds[i].slots, worlds[i].depth);
    leg->world.joins = worlds[i].joins;
    leg->world.pieces = worlds[i].pieces;
    run_exact(leg);
    leg_end(leg);
  }
}

TEST(requests_go_out_together) {
  struct leg *leg = pipelined(2, 100);
  leg->settings.steady_to_ns = 5 * SECOND;
  leg->world.joins = true;
  leg_run(leg); /* 1 ms a transfer, one after another: what is answered together is asked together */
  CHECK_EQUAL(leg->interval[4].transfers, 2 * 100 * 1000);
  CHECK_EQUAL(leg->world.requests, 100 * leg->world.sends);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 1 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  leg_end(leg);
}

/* Payloads that are too large to be copied together go out by themselves, with the small one before it. */
TEST(large_requests_go_out_one_by_one) {
  static uint8_t large[20000];
  struct leg *leg = pipelined(3, 4);
  for (size_t i = 0; i < sizeof large; i++) large[i] = (uint8_t)(i % 251);
  leg->settings.payload = large;
  leg->settings.payload_bytes = leg->world.request_bytes = sizeof large;
  leg->settings.steady_to_ns = 5 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->world.requests, leg->world.sends);
  CHECK_EQUAL(leg->interval[4].transfers, 3 * 4 * 1000);
  leg_end(leg);
}

TEST(a_send_that_is_pending_holds_the_next_one_up) {
  struct leg *leg = pipelined(5, 8);
  leg->world.sends_take_ns = 400 * 1000;
  leg_run(leg);
  /* the eight go out together and are answered 1 ms after; the next batch only once they are with the kernel */
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 1 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  CHECK(leg->interval[4].transfers >= 5 * 8 * 999 && leg->interval[4].transfers <= 5 * 8 * 1000);
  leg_end(leg);
}

/* Answers come before their requests are sent: each but the last of a batch may, that one cannot. */
TEST(the_last_is_not_answered_before_it_is_sent) {
  struct leg *leg = pipelined(5, 8);
  leg->world.sends_take_ns = 2 * MS;
  leg_run(leg);
  CHECK(leg->counters[COUNT_TRANSFERS] > 0);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 7 * leg->counters[COUNT_ERRORS + ERROR_PROTOCOL]);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], leg->counters[COUNT_ERRORS + ERROR_PROTOCOL]);
  leg_end(leg);
}

/* From the 100th request of a connection on what the context says, once. */
struct spoiler {
  uint32_t seen, spoilt;
  struct fate fate;
};

static struct fate spoils_one(struct fake_world *world, uint32_t slot) {
  struct spoiler *spoiler = world->context;
  (void)slot;
  if (++spoiler->seen == 102) {
    spoiler->spoilt++;
    return spoiler->fate;
  }
  return (struct fate){FATE_OK, 1 * MS, 0};
}

/* The second of four in flight is spoilt: the first was answered and another one sent; these four fail. */
TEST(each_in_flight_fails) {
  static const struct {
    struct fate fate;
    enum error_cause cause;
  } ends[] = {{{FATE_CLOSE, 1 * MS, -ECONNRESET}, ERROR_RESET},
              {{FATE_HALF, 1 * MS, -ECONNRESET}, ERROR_RESET},
              {{FATE_WRONG, 1 * MS, 0}, ERROR_CORRUPT},
              {{FATE_NOTHING, 1 * MS, 0}, ERROR_CORRUPT}};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    struct spoiler spoiler = {.fate = ends[i].fate};
    struct leg *leg = pipelined(1, 4);
    leg->world.request = spoils_one;
    leg->world.context = &spoiler;
    leg_run(leg);
    CHECK_EQUAL(spoiler.spoilt, 1);
    CHECK_EQUAL(leg->counters[COUNT_ERRORS + ends[i].cause], 1);
    CHECK_EQUAL(leg->counters[COUNT_LOST], 1);
    CHECK_EQUAL(leg->counters[COUNT_REOPENED], 1);
    CHECK_EQUAL(leg->counters[COUNT_FAILED], 4);
    CHECK(leg->counters[COUNT_TRANSFERS] > 4 * 9000);
    leg_end(leg);
  }
}

TEST(a_silent_one_times_out) {
  struct leg *leg = pipelined(2, 4);
  leg->world.request = fate_odd_only;
  leg_run(leg);
  /* asked at 1 ms, and 5 s later, and after a back-off of up to 100 ms; the second time the drain cuts it short */
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_TIMEOUT], 2);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], 8);
  CHECK_EQUAL(leg->counters[COUNT_UNFINISHED], 0);
  leg_end(leg);
}

TEST(a_byte_too_many_is_an_error) {
  struct spoiler spoiler = {.fate = {FATE_SURPLUS, 1 * MS, 0}};
  struct leg *leg = pipelined(1, 2);
  leg->world.joins = true;
  leg->world.request = spoils_one;
  leg->world.context = &spoiler;
  leg_run(leg);
  /* the last of two: both are answered, then an unsolicited reply arrives */
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL], 1);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], 0);
  leg_end(leg);
}

TEST(pipelines_that_cannot_be) {
  struct leg *leg = pipelined(1, 0);
  leg_refused(leg);
  leg = leg_new(1);
  leg->settings.pipeline = PIPELINE_MOST + 1;
  leg_refused(leg);
  leg = leg_new(1);
  leg->settings.pipeline = 2;
  leg->settings.workload = &workload_reconnect;
  leg_refused(leg);
  leg = leg_new(1);
  leg->settings.pipeline = 2;
  leg->settings.workload_settings.pause_ns = 1;
  leg_refused(leg);
}
