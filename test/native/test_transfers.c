/*
 * test_transfers.c: a leg with a given number of transfers, on the fake transport and clock: no more than that begin,
 * whatever becomes of them, and the leg ends when the last of them has, or by time, whichever comes first.
 */

#include "check.h"
#include "leg.h"

/* Steady from 1 ms on, so that nearly all of a leg of some milliseconds is. */
static struct leg *bounded(uint32_t slots, uint64_t transfers) {
  struct leg *leg = leg_new(slots);
  leg->settings.steady_from_ns = 1 * MS;
  leg->settings.transfers = transfers;
  return leg;
}

static uint64_t end_ns(const struct leg *leg) { return leg->interval[leg->intervals - 1].to_ns; }

TEST(no_more_begin_than_were_to) {
  struct leg *leg = bounded(10, 1003);
  leg_run(leg);
  CHECK_EQUAL(leg->world.requests, 1003);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 1003);
  /* 1 ms to connect, then 1 ms for each ten; it ended in its steady state */
  CHECK_EQUAL(end_ns(leg), 102 * MS);
  CHECK_EQUAL(leg->interval[leg->intervals - 1].phase, PHASE_STEADY);
  CHECK_EQUAL(leg->steady.count, 1003);
  CHECK_EQUAL(leg->counters[COUNT_OPENED], 10);
  CHECK_EQUAL(leg->world.fins, 10);
  leg_end(leg);
}

TEST(nor_on_connections_for_one_transfer) {
  struct leg *leg = bounded(10, 1003);
  leg->settings.workload = &workload_reconnect;
  leg_run(leg);
  CHECK_EQUAL(leg->world.requests, 1003);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 1003);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK(leg->counters[COUNT_OPENED] <= 1003 + 10);
  CHECK(end_ns(leg) <= 203 * MS);
  leg_end(leg);
}

TEST(nor_with_several_in_flight) {
  struct leg *leg = bounded(3, 1000);
  leg->settings.pipeline = 16;
  leg->world.request_bytes = 64;
  leg_run(leg);
  CHECK_EQUAL(leg->world.requests, 1000);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 1000);
  leg_end(leg);
}

TEST(nor_than_there_are_slots) {
  struct leg *leg = bounded(100, 7);
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 7);
  CHECK(end_ns(leg) <= 3 * MS);
  leg_end(leg);
}

/* Even slots are never answered: their transfers time out, and are not made up for. */
TEST(what_fails_has_begun) {
  struct leg *leg = bounded(10, 100);
  leg->world.request = fate_odd_only;
  leg_run(leg);
  CHECK_EQUAL(leg->world.requests, 100);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], 5);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_TIMEOUT], 5);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 95);
  CHECK_EQUAL(end_ns(leg), 5 * SECOND + 1 * MS);
  leg_end(leg);
}

TEST(time_ends_it_first) {
  struct leg *leg = bounded(10, 100);
  leg->world.request_fate = (struct fate){FATE_NOTHING, 0, 0};
  leg->settings.transfer_timeout_ns = 60 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_UNFINISHED], 10);
  CHECK_EQUAL(leg->interval[leg->intervals - 1].phase, PHASE_DRAIN);
  CHECK_EQUAL(end_ns(leg), 13 * SECOND);
  leg_end(leg);
}

/* Attempts that wait for their turn, slots that are not asked yet, connections in a pause: they end with the others,
 * and no empty turn happens while the last transfer is in flight. */
TEST(nothing_waits_for_what_will_not_come) {
  struct leg *leg = bounded(20, 12);
  leg->points[0].slots = 10;
  leg->points[1] = (struct schedule_point){1 * SECOND, 20, false};
  leg->settings.schedule.count = 2;
  leg->settings.workload_settings.pause_ns = 100 * MS;
  leg->settings.connect_rate = 1000;
  leg->world.request_fate = (struct fate){FATE_OK, 3 * SECOND, 0};
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 12);
  CHECK(end_ns(leg) >= 4 * SECOND && end_ns(leg) <= 5 * SECOND);
  CHECK(leg->world.turns < 200);
  leg_end(leg);
}

TEST(an_open_loop_has_no_number) {
  struct leg *leg = bounded(10, 100);
  leg_at_rate(leg, 1000);
  leg_refused(leg);
}
