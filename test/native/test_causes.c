/*
 * test_causes.c: every reject and every error by its cause, each from a world that produces exactly that one.
 */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "leg.h"
#include "one_request.h"

struct expectation {
  struct fate fate;
  enum error_cause cause;
};

TEST(errors_by_cause) {
  static const struct expectation expectations[] = {
      {{FATE_CLOSE, 1 * MS, -ECONNRESET}, ERROR_RESET},  {{FATE_CLOSE, 1 * MS, -EPIPE}, ERROR_RESET},
      {{FATE_CLOSE, 1 * MS, IO_EOF}, ERROR_CLOSED},      {{FATE_HALF, 1 * MS, IO_EOF}, ERROR_CLOSED},
      {{FATE_CLOSE, 1 * MS, -ETIMEDOUT}, ERROR_TIMEOUT}, {{FATE_NOTHING, 0, 0}, ERROR_TIMEOUT},
      {{FATE_WRONG, 1 * MS, 0}, ERROR_CORRUPT},          {{FATE_CLOSE, 1 * MS, -EHOSTUNREACH}, ERROR_OTHER},
  };
  for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
    struct leg *leg = leg_new(20);
    leg->world.request_fate = expectations[i].fate;
    leg_run(leg);
    CHECK(leg->counters[COUNT_ERRORS + expectations[i].cause] >= 20);
    CHECK_EQUAL(leg->counters[COUNT_ERRORS + expectations[i].cause], leg_errors(leg));
    CHECK_EQUAL(leg->counters[COUNT_FAILED], leg_errors(leg));
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 0);
    CHECK_EQUAL(leg->ends[GAUGE_NEVER_ANSWERED], 20);
    CHECK_EQUAL(leg_rejects(leg), 0);
    leg_end(leg);
  }
}

TEST(surplus_is_a_protocol_error_of_the_connection) {
  struct leg *leg = leg_new(20);
  leg->world.request_fate = (struct fate){FATE_SURPLUS, 1 * MS, 0};
  leg_run(leg);
  CHECK(leg->counters[COUNT_TRANSFERS] >= 20);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], 0);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL], leg->counters[COUNT_TRANSFERS]);
  CHECK_EQUAL(leg->world.resets, leg->counters[COUNT_LOST] + leg->counters[COUNT_ABANDONED]);
  leg_end(leg);
}

TEST(rejects_by_cause) {
  static const struct {
    int reason;
    enum reject_cause cause;
  } expectations[] = {
      {-ECONNREFUSED, REJECT_REFUSED},  {IO_SELF_CONNECTED, REJECT_REFUSED},
      {-ECONNRESET, REJECT_RESET},      {-ECONNABORTED, REJECT_RESET},
      {-ETIMEDOUT, REJECT_TIMEOUT},     {-ENETUNREACH, REJECT_UNREACHABLE},
      {-EHOSTDOWN, REJECT_UNREACHABLE}, {-EMFILE, REJECT_LOCAL},
      {-EADDRNOTAVAIL, REJECT_LOCAL},   {-ENOBUFS, REJECT_LOCAL},
      {-EPERM, REJECT_LOCAL},           {-EPROTO, REJECT_OTHER},
  };
  for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
    struct leg *leg = leg_new(20);
    leg->world.attempt_fate = (struct fate){FATE_CLOSE, 1 * MS, expectations[i].reason};
    leg_run(leg);
    CHECK(leg->counters[COUNT_REJECTS + expectations[i].cause] >= 20);
    CHECK_EQUAL(leg->counters[COUNT_REJECTS + expectations[i].cause], leg_rejects(leg));
    CHECK_EQUAL(leg->counters[COUNT_OPENED], 0);
    CHECK_EQUAL(leg->peaks[GAUGE_OPEN], 0);
    leg_end(leg);
  }
}

TEST(connects_have_a_deadline) {
  struct leg *leg = leg_new(5);
  leg->world.attempt_fate = (struct fate){FATE_NOTHING, 0, 0};
  leg->settings.connect_timeout_ns = 1 * SECOND;
  leg_run(leg);
  /* 1 s of deadline and at most 0.1, 0.2, 0.4, 0.8, 1.6 s of back-off between attempts, within 10 s */
  CHECK(leg->counters[COUNT_REJECTS + REJECT_TIMEOUT] >= 5 * 5);
  CHECK(leg->counters[COUNT_REJECTS + REJECT_TIMEOUT] <= 5 * 9);
  leg_end(leg);
}

TEST(an_early_answer_is_none) {
  struct leg *leg = leg_new(20);
  leg->world.request_fate = (struct fate){FATE_EARLY, 1 * MS, 0};
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 0);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_SENT], 0);
  CHECK(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL] >= 20);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL], leg_errors(leg));
  leg_end(leg);
}

/* What a peer answers without being asked, of protocols whose right replies are all the same. */
struct unsolicited {
  const struct protocol *protocol;
  const char *reply;
};

static const struct unsolicited unsolicited[] = {
    {&protocol_redis, PING_REPLY},
    {&protocol_http, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
};
#define UNASKED (sizeof unsolicited / sizeof unsolicited[0])

static struct leg *leg_of(const struct unsolicited *one) {
  struct leg *leg = leg_new(20);
  leg_sends_one_request(leg, one->protocol);
  leg->world.context = (void *)(uintptr_t)one;
  return leg;
}

static struct fate has_early_data(struct fake_world *world, uint32_t slot) {
  (void)world;
  (void)slot;
  return (struct fate){FATE_SPOKEN, 1 * MS, 0};
}

TEST(replies_before_the_first_request_are_none) {
  for (size_t i = 0; i < 2 * UNASKED; i++) {
    struct leg *leg = leg_of(&unsolicited[i / 2]);
    leg->world.attempt = has_early_data;
    leg->world.greeting = unsolicited[i / 2].reply;
    if (i % 2 == 1) leg_at_rate(leg, 1000);
    leg_run(leg);
    CHECK_EQUAL(leg->world.requests, 0);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS] + leg->counters[COUNT_FAILED], 0);
    CHECK(leg->counters[COUNT_OPENED] >= 20);
    CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL], leg->counters[COUNT_OPENED]);
    CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL], leg_errors(leg));
    CHECK_EQUAL(leg->counters[COUNT_BYTES_RECEIVED], leg_errors(leg) * strlen(unsolicited[i / 2].reply));
    leg_end(leg);
  }
}

/* One requested reply, and half a second later the same again. */
static struct fate answers_twice(struct fake_world *world, uint32_t slot) {
  const struct unsolicited *one = world->context;
  fake_say(world, slot, 1 * MS, one->reply, strlen(one->reply));
  fake_say(world, slot, 500 * MS, one->reply, strlen(one->reply));
  return (struct fate){FATE_NOTHING, 0, 0};
}

TEST(replies_to_an_idle_connection_are_none) {
  for (size_t i = 0; i < UNASKED; i++) {
    struct leg *leg = leg_of(&unsolicited[i]);
    leg->settings.workload_settings.pause_ns = 1 * SECOND;
    leg->world.request = answers_twice;
    leg_run(leg);
    uint64_t errors = leg->counters[COUNT_ERRORS + ERROR_PROTOCOL];
    CHECK(errors >= 20);
    CHECK_EQUAL(errors, leg_errors(leg));
    CHECK_EQUAL(leg->counters[COUNT_FAILED] + leg->counters[COUNT_UNFINISHED], 0);
    /* each connection has one, and one more may be idle when the drain closes it */
    CHECK(leg->counters[COUNT_TRANSFERS] >= errors && leg->counters[COUNT_TRANSFERS] <= errors + 20);
    leg_end(leg);
  }
}

/* One requested reply, and half a second later the end of the connection. */
static int idle_end;
static struct fate answers_and_ends(struct fake_world *world, uint32_t slot) {
  const struct unsolicited *one = world->context;
  fake_say(world, slot, 1 * MS, one->reply, strlen(one->reply));
  fake_end(world, slot, 500 * MS, idle_end);
  return (struct fate){FATE_NOTHING, 0, 0};
}

TEST(ends_of_an_idle_connection_by_cause) {
  static const struct {
    int reason;
    enum error_cause cause;
  } ends[] = {{-ECONNRESET, ERROR_RESET}, {IO_EOF, ERROR_CLOSED}, {-ETIMEDOUT, ERROR_TIMEOUT}};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    struct leg *leg = leg_of(&unsolicited[0]);
    leg->settings.workload_settings.pause_ns = 1 * SECOND;
    leg->world.request = answers_and_ends;
    idle_end = ends[i].reason;
    leg_run(leg);
    uint64_t errors = leg->counters[COUNT_ERRORS + ends[i].cause];
    CHECK(errors >= 20);
    CHECK_EQUAL(errors, leg_errors(leg));
    CHECK_EQUAL(leg->counters[COUNT_FAILED] + leg->counters[COUNT_UNFINISHED], 0);
    CHECK(leg->counters[COUNT_TRANSFERS] >= errors && leg->counters[COUNT_TRANSFERS] <= errors + 20);
    /* for 499 ms, to the millisecond */
    CHECK_EQUAL(leg->histograms[HISTOGRAM_IDLE_TIME].count, ends[i].cause == ERROR_TIMEOUT ? 0 : errors);
    CHECK(leg->histograms[HISTOGRAM_IDLE_TIME].count == 0 || (leg->histograms[HISTOGRAM_IDLE_TIME].min >= 499 * MS &&
                                                              leg->histograms[HISTOGRAM_IDLE_TIME].max < 500 * MS));
    leg_end(leg);
  }
}

/* The server ends each connection 300 ms after it opened. */
static struct fate ends_after_300_ms(struct fake_world *world, uint32_t slot) {
  (void)world;
  (void)slot;
  return (struct fate){FATE_BRIEF, 300 * MS, IO_EOF};
}

TEST(the_time_before_an_idle_end) {
  struct leg *leg = leg_new(5);
  leg->settings.workload = &workload_hold;
  leg->world.attempt = ends_after_300_ms;
  leg_run(leg);
  CHECK(leg->histograms[HISTOGRAM_IDLE_TIME].count >= 5);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_IDLE_TIME].count, leg->counters[COUNT_ERRORS + ERROR_CLOSED]);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_IDLE_TIME].min, 300 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_IDLE_TIME].max, 300 * MS);
  leg_end(leg);
  leg = leg_new(5); /* none is idle */
  leg->world.request_fate = (struct fate){FATE_NOTHING, 0, 0};
  leg->world.attempt = ends_after_300_ms;
  leg_run(leg);
  CHECK(leg->counters[COUNT_ERRORS + ERROR_CLOSED] >= 5);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_IDLE_TIME].count, 0);
  leg_end(leg);
}

/* The deadline of a transfer is its own, be it shorter or longer than that of the connect before it. */
TEST(deadlines_do_not_mix) {
  struct leg *leg = leg_new(10);
  leg->world.request_fate = (struct fate){FATE_NOTHING, 0, 0};
  leg->settings.connect_timeout_ns = 30 * SECOND;
  leg->settings.transfer_timeout_ns = 500 * MS;
  leg_run(leg);
  /* 0.5 s of deadline and at most 0.1 0.2 0.4 0.8 1.6 3.2 s of back-off between transfers, within 10 s */
  CHECK(leg->counters[COUNT_FAILED] >= 10 * 5);
  leg_end(leg);
  leg = leg_new(10);
  leg->world.request_fate = (struct fate){FATE_NOTHING, 0, 0};
  leg->settings.connect_timeout_ns = 500 * MS;
  leg->settings.transfer_timeout_ns = 30 * SECOND;
  leg->settings.drain_timeout_ns = 1 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], 0);
  CHECK_EQUAL(leg->counters[COUNT_UNFINISHED], 10);
  leg_end(leg);
}
