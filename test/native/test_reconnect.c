/*
 * test_reconnect.c: workload reconnect, connect_rate and replies that end their connection, on the fake transport and
 * clock: what is planned is no loss, and no second has more attempts than the rate allows.
 */
#include <errno.h>

#include "check.h"
#include "leg.h"

TEST(reconnects_after_each_transfer) {
  struct leg *leg = leg_new(10);
  leg->settings.workload = &workload_reconnect;
  leg_run(leg);
  /* 1 ms to connect and 1 ms to be answered: 500 connections a second and slot */
  CHECK_EQUAL(leg->interval[3].transfers, 10 * 500);
  CHECK_EQUAL(leg->interval[3].attempts, 10 * 500);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->counters[COUNT_REOPENED], leg->counters[COUNT_OPENED] - 10);
  CHECK_EQUAL(leg->recovery.count, 0);
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
  CHECK_EQUAL(leg->recovery.count, 0);
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
  CHECK_EQUAL(leg->recovery.count, 0);
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
