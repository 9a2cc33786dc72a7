/*
 * test_lifetime.c: connections that live for a number of transfers or for a time, on the fake transport and clock: each
 * ends where it is to, between two transfers, is opened again at once, and is neither lost nor an error.
 */
#include <errno.h>

#include "check.h"
#include "leg.h"

#define SLOTS 10u

static struct leg *living(uint32_t transfers, uint64_t ns) {
  struct leg *leg = leg_new(SLOTS);
  leg->settings.lifetime = (struct lifetime){.transfers = transfers, .ns = ns};
  return leg;
}

/* Nothing was lost, and each connection but the last of a slot had EACH transfers. */
static void check_planned(const struct leg *leg, uint64_t each) {
  uint64_t opened = leg->counters[COUNT_OPENED], transfers = leg->counters[COUNT_TRANSFERS];
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], 0);
  CHECK_EQUAL(leg_errors(leg), 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECOVERY_TIME].count, 0);
  CHECK_EQUAL(leg->peaks[GAUGE_BACKING_OFF], 0);
  CHECK_EQUAL(leg->counters[COUNT_REOPENED], opened - SLOTS);
  CHECK(opened > SLOTS && transfers <= each * opened && transfers >= each * (opened - SLOTS));
}

TEST(for_a_number_of_transfers) {
  struct leg *leg = living(10, 0);
  leg_run(leg);
  check_planned(leg, 10);
  /* 1 ms to connect, ten of 1 ms to be answered: a connection every 11 ms */
  CHECK(leg->interval[4].attempts >= SLOTS * 90 && leg->interval[4].attempts <= SLOTS * 91);
  CHECK_EQUAL(leg->world.fins, leg->counters[COUNT_OPENED]);
  CHECK_EQUAL(leg->world.resets, leg->counters[COUNT_ABANDONED]);
  leg_end(leg);
}

TEST(for_a_time) {
  struct leg *leg = living(0, 99 * MS);
  leg_run(leg);
  check_planned(leg, 99); /* of 1 ms; the last ends as the time does */
  CHECK(leg->interval[4].attempts >= SLOTS * 9 && leg->interval[4].attempts <= SLOTS * 10 + 1);
  leg_end(leg);
}

TEST(for_what_comes_first) {
  struct leg *leg = living(20, 1000 * MS);
  leg_run(leg);
  check_planned(leg, 20);
  leg_end(leg);
  leg = living(1000, 20 * MS);
  leg_run(leg);
  check_planned(leg, 20);
  leg_end(leg);
}

/* The pause after the last transfer is kept without a connection; one that grows old in its pause is closed after it.
 */
TEST(with_a_pause) {
  struct leg *leg = living(2, 0);
  leg->settings.workload_settings.pause_ns = 499 * MS;
  leg_run(leg);
  check_planned(leg, 2);
  /* 1 ms, then transfers of 1 ms every 500 ms: 1,001 ms a connection, over the ten seconds of the leg */
  CHECK(leg->counters[COUNT_OPENED] >= SLOTS * 9 && leg->counters[COUNT_OPENED] <= SLOTS * 10);
  leg_end(leg);
  leg = living(0, 100 * MS);
  leg->settings.workload_settings.pause_ns = 499 * MS;
  leg_run(leg);
  check_planned(leg, 1);
  CHECK(leg->counters[COUNT_OPENED] >= SLOTS * 19 && leg->counters[COUNT_OPENED] <= SLOTS * 21);
  leg_end(leg);
}

/* Transfers in flight are answered before the connection ends; nothing begins meanwhile. */
TEST(with_a_pipeline) {
  struct leg *leg = living(20, 0);
  leg->settings.pipeline = 8;
  leg->world.request_bytes = leg->settings.payload_bytes;
  leg_run(leg);
  check_planned(leg, 20);
  leg_end(leg);
  leg = living(0, 50 * MS);
  leg->settings.pipeline = 8;
  leg->world.request_bytes = leg->settings.payload_bytes;
  leg_run(leg);
  check_planned(leg, 8 * 50);
  leg_end(leg);
}

/* What is due finds another connection, or waits for the next one of the slot. */
TEST(in_open_loop) {
  for (uint32_t pipeline = 1; pipeline <= 4; pipeline += 3) {
    for (int by_time = 0; by_time <= 1; by_time++) {
      struct leg *leg = living(by_time ? 0 : 5, by_time ? 20 * MS : 0);
      leg->settings.pipeline = pipeline;
      leg->world.request_bytes = leg->settings.payload_bytes;
      leg_at_rate(leg, 2000);
      leg_run(leg);
      CHECK_EQUAL(leg->counters[COUNT_DUE], 8 * 2000);
      CHECK(leg->counters[COUNT_TRANSFERS] + leg->counters[COUNT_UNSENT] == 8 * 2000);
      CHECK(leg->counters[COUNT_UNSENT] <= SLOTS);
      CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
      CHECK_EQUAL(leg->histograms[HISTOGRAM_RECOVERY_TIME].count, 0);
      if (!by_time) check_planned(leg, 5);
      CHECK(leg->counters[COUNT_REOPENED] >= 1000);
      leg_end(leg);
    }
  }
}

/* ---- connections of one transfer, at a rate, and replies that end their connection ---- */

TEST(reconnects_after_each_transfer) {
  struct leg *leg = leg_new(10);
  leg->settings.workload = &workload_reconnect;
  leg_run(leg);
  /* 1 ms to connect and 1 ms to be answered: 500 connections a second and slot */
  CHECK_EQUAL(leg->interval[3].transfers, 10 * 500);
  CHECK_EQUAL(leg->interval[3].attempts, 10 * 500);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->counters[COUNT_REOPENED], leg->counters[COUNT_OPENED] - 10);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECOVERY_TIME].count, 0);
  CHECK_EQUAL(leg->world.fins, leg->counters[COUNT_OPENED]);
  CHECK_EQUAL(leg->world.resets, leg->counters[COUNT_ABANDONED]);
  leg_end(leg);
}

TEST(reconnects_at_a_rate) {
  struct leg *leg = leg_new(100);
  leg->settings.workload = &workload_reconnect;
  leg->settings.connect_rate = 300;
  leg_run(leg);
  for (uint32_t i = 0; i < 9; i++) CHECK(leg->interval[i].attempts >= 299 && leg->interval[i].attempts <= 304);
  CHECK(leg->peaks[GAUGE_QUEUED] >= 95);
  leg_end(leg);
}

/* The rate holds for the ramp, and for attempts after back-off, too. */
TEST(rejected_attempts_keep_the_rate) {
  struct leg *leg = leg_new(1000);
  leg->world.attempt_fate = (struct fate){FATE_CLOSE, 0, -ECONNREFUSED};
  leg->settings.connect_rate = 250;
  leg_run(leg);
  for (uint32_t i = 0; i < 9; i++) CHECK(leg->interval[i].attempts >= 249 && leg->interval[i].attempts <= 253);
  leg_end(leg);
}

/* A protocol whose replies, other than the first of a connection, say that the connection will close. */
static struct parse_result reply_and_close(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                           size_t length) {
  struct parse_result result = protocol_echo.reply(state, settings, bytes, length);
  uint64_t *replies = (uint64_t *)state + PROTOCOL_STATE_BYTES / 8 - 1;
  if (result.verdict != PARSE_COMPLETE) return result;
  result.code = ++*replies == 1 ? CODE_2XX : CODE_4XX;
  result.closes = *replies == 2;
  return result;
}

/* The peer's end makes any reply whole. */
static struct parse_result whole_at_end(void *state, const struct protocol_settings *settings) {
  (void)state;
  (void)settings;
  return (struct parse_result){.verdict = PARSE_COMPLETE, .code = CODE_5XX, .closes = 1};
}

static struct protocol closing, ending;

static void protocols_prepare(void) {
  closing = ending = protocol_echo;
  closing.reply = reply_and_close;
  ending.end = whole_at_end;
}

TEST(a_reply_that_closes_is_planned) {
  struct leg *leg = leg_new(10);
  protocols_prepare();
  leg->settings.protocol = &closing;
  leg_run(leg);
  /* 1 ms to connect and two of 1 ms to be answered */
  CHECK(leg->interval[3].transfers >= 10 * 665 && leg->interval[3].transfers <= 10 * 668);
  CHECK(leg->interval[3].attempts >= 10 * 332 && leg->interval[3].attempts <= 10 * 335);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECOVERY_TIME].count, 0);
  CHECK_EQUAL(leg->peaks[GAUGE_BACKING_OFF], 0);
  CHECK_EQUAL(leg->counters[COUNT_CODES + CODE_NONE], 0);
  CHECK_EQUAL(leg->counters[COUNT_CODES + CODE_2XX] + leg->counters[COUNT_CODES + CODE_4XX],
              leg->counters[COUNT_TRANSFERS]);
  CHECK(leg->counters[COUNT_CODES + CODE_2XX] - leg->counters[COUNT_CODES + CODE_4XX] <= 10);
  leg_end(leg);
}

TEST(the_end_of_the_stream_may_be_that_of_the_reply) {
  struct leg *leg = leg_new(10);
  protocols_prepare();
  leg->settings.protocol = &ending;
  leg->world.request_fate = (struct fate){FATE_HALF, 1 * MS, IO_EOF};
  leg_run(leg);
  CHECK_EQUAL(leg->interval[3].transfers, 10 * 500);
  CHECK_EQUAL(leg->counters[COUNT_CODES + CODE_5XX], leg->counters[COUNT_TRANSFERS]);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECOVERY_TIME].count, 0);
  leg_end(leg);
}

TEST(a_reset_is_no_end_of_a_reply) {
  struct leg *leg = leg_new(10);
  protocols_prepare();
  leg->settings.protocol = &ending;
  leg->world.request_fate = (struct fate){FATE_HALF, 1 * MS, -ECONNRESET};
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 0);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_RESET], leg->counters[COUNT_LOST]);
  CHECK(leg->counters[COUNT_LOST] > 0);
  leg_end(leg);
}

TEST(once_is_done_when_the_reply_closes) {
  struct leg *leg = leg_new(10);
  protocols_prepare();
  leg->settings.protocol = &ending;
  leg->settings.workload = &workload_once;
  leg->world.request_fate = (struct fate){FATE_HALF, 1 * MS, IO_EOF};
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10);
  CHECK_EQUAL(leg->counters[COUNT_ATTEMPTS], 10);
  leg_end(leg);
}
