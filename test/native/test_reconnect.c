/*
 * test_reconnect.c: workload reconnect and connect_rate on the fake io and clock: what is planned is no loss, and no
 * second has more attempts than the rate allows.
 */
#include <errno.h>

#include "check.h"
#include "leg.h"

/* Each transfer in context's stretch of time is reset; others take 1 ms. */
static struct fate reset_once(struct fake_world *world, uint32_t slot) {
  (void)slot;
  uint64_t *seen = world->context;
  if (world->now_ns >= LEG_START_NS + 4 * SECOND && *seen < 10) {
    ++*seen;
    return (struct fate){FATE_CLOSE, 0, -ECONNRESET};
  }
  return (struct fate){FATE_OK, 1 * MS, 0};
}

static void reconnects_after_each_transfer(void) {
  struct leg *leg = leg_new(10);
  leg->settings.workload = &workload_reconnect;
  leg_run(leg);
  /* 1 ms to connect and 1 ms to be answered: 500 connections a second and slot */
  CHECK_EQUAL(leg->cut[3].transfers, 10 * 500);
  CHECK_EQUAL(leg->cut[3].attempts, 10 * 500);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->counters[COUNT_REOPENED], leg->counters[COUNT_OPENED] - 10);
  CHECK_EQUAL(leg->recovery.count, 0);
  CHECK_EQUAL(leg->world.fins, leg->counters[COUNT_OPENED]);
  CHECK_EQUAL(leg->world.resets, leg->counters[COUNT_ABANDONED]);
  leg_end(leg);
}

static void reconnects_at_a_rate(void) {
  struct leg *leg = leg_new(100);
  leg->settings.workload = &workload_reconnect;
  leg->settings.connect_rate = 300;
  leg_run(leg);
  for (uint32_t i = 0; i < 9; i++) CHECK(leg->cut[i].attempts >= 299 && leg->cut[i].attempts <= 304);
  CHECK(leg->peaks[GAUGE_QUEUED] >= 95);
  leg_end(leg);
}

/* The rate holds for the ramp, and for attempts after back-off, too. */
static void rejected_attempts_keep_the_rate(void) {
  struct leg *leg = leg_new(1000);
  struct fate fate = {FATE_CLOSE, 0, -ECONNREFUSED};
  leg->world.context = &fate;
  leg->world.attempt = fate_constant;
  leg->settings.connect_rate = 250;
  leg_run(leg);
  for (uint32_t i = 0; i < 9; i++) CHECK(leg->cut[i].attempts >= 249 && leg->cut[i].attempts <= 253);
  leg_end(leg);
}

static void a_reconnecting_slot_is_lost_like_any_other(void) {
  struct leg *leg = leg_new(50);
  uint64_t seen = 0;
  leg->settings.workload = &workload_reconnect;
  leg->world.request = reset_once;
  leg->world.context = &seen;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 10);
  CHECK_EQUAL(leg->recovery.count, 10);
  CHECK(leg->recovery.min > 50 * MS);
  leg_end(leg);
}

static const struct check_test tests[] = {
    {"reconnects after each transfer", reconnects_after_each_transfer},
    {"reconnects at a rate", reconnects_at_a_rate},
    {"rejected attempts keep the rate", rejected_attempts_keep_the_rate},
    {"a reconnecting slot is lost like any other", a_reconnecting_slot_is_lost_like_any_other},
};

CHECK_MAIN(tests)
